// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of vessels that are not plane, round and sharp, at random orientations: domes, noise,
// fillets, narrowing and bulging walls, saddles, nicks, flat ends of 10:1.
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

// Rotation by a unit quaternion of random direction.
std::function<Double3(const Double3&)> randomRotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  double q[4], size = 0.0;
  for (double& c : q) {
    c = normal(random);
    size += c * c;
  }
  const double w = q[0] / std::sqrt(size);
  const Double3 axis = (1.0 / std::sqrt(size)) * Double3{q[1], q[2], q[3]};
  return [=](const Double3& p) {
    const Double3 t = 2.0 * cross(axis, p);
    return p + w * t + cross(axis, t);
  };
}

TriangleMesh rotated(TriangleMesh mesh, std::mt19937& random) {
  const auto rotate = randomRotation(random);
  for (Double3& v : mesh.vertex) v = rotate(v);
  return mesh;
}

// Body of revolution about z with a row of points at each (radius, z) of the profile; ends at a
// radius of 0 in a point, else open.
struct Profile {
  std::vector<std::array<double, 2>> point;
  Index around = 48;
};

TriangleMesh revolve(const Profile& profile) {
  TriangleMesh mesh;
  const Index n = profile.around;
  std::vector<Index> first;
  for (const auto& [radius, z] : profile.point) {
    first.push_back(static_cast<Index>(mesh.vertex.size()));
    for (Index i = 0; i < (radius > 0.0 ? n : 1); ++i) {
      const double angle = 2.0 * std::numbers::pi * i / n;
      mesh.vertex.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  const auto at = [&](std::size_t row, Index i) {
    return profile.point[row][0] > 0.0 ? first[row] + i % n : first[row];
  };
  for (std::size_t row = 0; row + 1 < first.size(); ++row)
    for (Index i = 0; i < n; ++i) {
      if (profile.point[row][0] > 0.0)
        mesh.triangle.push_back({at(row, i), at(row, i + 1), at(row + 1, i + 1)});
      if (profile.point[row + 1][0] > 0.0)
        mesh.triangle.push_back({at(row, i), at(row + 1, i + 1), at(row + 1, i)});
    }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

// Rows of a cap domed by `lift` radii, from the axis to the rim at z.
void addCap(Profile& profile, double radius, double z, double lift, bool low, int rings = 8) {
  std::vector<std::array<double, 2>> rows;
  for (int k = 0; k <= rings; ++k) {
    const double r = radius * k / rings;
    const double height = lift * radius * (1.0 - r * r / (radius * radius));
    rows.push_back({r, low ? z - height : z + height});
  }
  if (!low) std::reverse(rows.begin(), rows.end());
  if (!low) rows.erase(rows.begin());
  profile.point.insert(profile.point.end(), rows.begin(), rows.end());
}

// Tube of radius 1 and length 10 with both ends capped and domed.
TriangleMesh domedTube(double lift, int rings = 8, Index around = 48, int rows = 80) {
  Profile profile{{}, around};
  addCap(profile, 1.0, 0.0, lift, true, rings);
  for (int k = 1; k <= rows; ++k) profile.point.push_back({1.0, 10.0 * k / rows});
  addCap(profile, 1.0, 10.0, lift, false, rings);
  return revolve(profile);
}

TriangleMesh openTube(int rows = 80) {
  Profile profile;
  for (int k = 0; k <= rows; ++k) profile.point.push_back({1.0, 10.0 * k / rows});
  return revolve(profile);
}

void addNoise(TriangleMesh& mesh, double sigma, std::mt19937& random) {
  std::normal_distribution<double> normal(0.0, sigma / std::sqrt(3.0));
  for (Double3& v : mesh.vertex) v = v + Double3{normal(random), normal(random), normal(random)};
}

struct Ends {
  std::vector<Opening> openings;
  std::size_t patches = 0, rings = 0;
  std::string reason;  // of the first patch
};

Ends endsOf(const TriangleMesh& mesh) {
  TriangleMesh plain = mesh;
  RepairedMesh repaired = repair(soupOf(plain), 1.0, "a.stl");
  const double tolerance = 1e-4 * boundsOf(repaired.mesh).longest();
  const FoundCaps flat = findUnevenCaps(repaired.mesh, tolerance, repaired.caps);
  std::vector<Cap> caps = repaired.caps;
  caps.insert(caps.end(), flat.caps.begin(), flat.caps.end());
  const auto rings = std::count_if(flat.patches.begin(), flat.patches.end(),
                                   [](const OpeningCandidate& patch) { return patch.hasHole; });
  return {labelOpenings(repaired.mesh, caps).opening, flat.patches.size(),
          static_cast<std::size_t>(rings), flat.patches.empty() ? "" : flat.patches[0].reason};
}

// Closed ring: a tube with a coaxial bore.
TriangleMesh ringMesh(double outer, double inner, double height) {
  const Profile profile{
      {{outer, 0.0}, {outer, height}, {inner, height}, {inner, 0.0}, {outer, 0.0}}};
  return revolve(profile);
}

// Tube of radius 1 and length 10 whose closed ends have fillets; rows: of the wall between them.
TriangleMesh filletedTube(double fillet, int steps, int rows) {
  Profile profile;
  addCap(profile, 1.0 - fillet, 0.0, 0.0, true);
  for (int k = 1; k <= steps; ++k) {
    const double angle = 0.5 * std::numbers::pi * k / steps;
    profile.point.push_back(
        {1.0 - fillet + fillet * std::sin(angle), fillet * (1.0 - std::cos(angle))});
  }
  for (int k = 1; k < rows; ++k)
    profile.point.push_back({1.0, fillet + (10.0 - 2 * fillet) * k / rows});
  for (int k = 0; k <= steps; ++k) {
    const double angle = 0.5 * std::numbers::pi * (1.0 - static_cast<double>(k) / steps);
    profile.point.push_back(
        {1.0 - fillet + fillet * std::sin(angle), 10.0 - fillet * (1.0 - std::cos(angle))});
  }
  profile.point.pop_back();
  profile.point.push_back({1.0 - fillet, 10.0});
  addCap(profile, 1.0 - fillet, 10.0, 0.0, false);
  return revolve(profile);
}

// Two ends of the given area at several orientations.
void checkTwoEnds(const TriangleMesh& mesh, double area, double margin) {
  std::mt19937 random(21);
  for (int repeat = 0; repeat < 4; ++repeat) {
    INFO("orientation " << repeat);
    const Ends ends = endsOf(rotated(mesh, random));
    REQUIRE(ends.openings.size() == 2);
    for (const Opening& opening : ends.openings)
      CHECK(opening.area == Approx(area).epsilon(margin));
    CHECK(dot(ends.openings[0].normal, ends.openings[1].normal) < -0.98);
  }
}

constexpr double circle = std::numbers::pi;

}  // namespace

TEST_CASE("Uneven ends: caps domed by up to 15 % of the radius are openings", "[unit]") {
  for (const double lift : {0.0, 0.01, 0.03, 0.1, 0.15}) {
    INFO("domed by " << lift);
    checkTwoEnds(domedTube(lift), circle, 0.02);
  }
}

TEST_CASE("Uneven ends: a round end is none", "[unit]") {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 4; ++repeat) {
    CHECK(endsOf(rotated(capsuleMesh(12.0), random)).openings.empty());
    CHECK(endsOf(rotated(sphereMesh({0, 0, 0}, 1.0, 24, 12), random)).openings.empty());
    CHECK(endsOf(rotated(domedTube(0.6), random)).openings.empty());
  }
}

TEST_CASE("Uneven ends: noise of 0.2 and 1 % of the radius hides neither caps nor rims", "[unit]") {
  for (const double sigma : {0.002, 0.01}) {
    INFO("noise " << sigma);
    std::mt19937 random(5);
    for (int repeat = 0; repeat < 3; ++repeat) {
      TriangleMesh closed = domedTube(0.0), open = openTube();
      addNoise(closed, sigma, random);
      addNoise(open, sigma, random);
      checkTwoEnds(closed, circle, 0.05);
      checkTwoEnds(open, circle, 0.05);
    }
  }
}

TEST_CASE("Uneven ends: noise and a dome of slender triangles do not end a vessel within its cap",
          "[unit]") {
  std::mt19937 random(11);
  for (const Index around : {48U, 56U})
    for (const double lift : {0.05, 0.1, 0.15})
      for (const double sigma : {0.009, 0.013}) {
        INFO(around << " around, domed by " << lift << ", noise " << sigma);
        TriangleMesh tube = domedTube(lift, 4, around);
        addNoise(tube, sigma, random);
        checkTwoEnds(tube, circle, 0.06);
      }
}

TEST_CASE("Uneven ends: noise of a sixth to a quarter of the edges hides no end", "[unit]") {
  std::mt19937 random(12);
  for (const auto& [sigma, around] : {std::pair{0.017, 100U}, {0.017, 150U}}) {
    INFO("noise " << sigma << ", " << around << " around");
    TriangleMesh tube =
        domedTube(0.0, static_cast<int>(around) / 6, around, static_cast<int>(1.6 * around));
    addNoise(tube, sigma, random);
    const Ends ends = endsOf(rotated(tube, random));
    REQUIRE(ends.openings.size() == 2);
    for (const Opening& opening : ends.openings) CHECK(opening.area == Approx(circle).epsilon(0.1));
  }
}

TEST_CASE("Uneven ends: a noisy ball has none", "[unit]") {
  std::mt19937 random(9);
  for (int repeat = 0; repeat < 3; ++repeat) {
    TriangleMesh ball = sphereMesh({0, 0, 0}, 1.0, 48, 24);
    addNoise(ball, 0.01, random);
    CHECK(endsOf(ball).openings.empty());
  }
}

TEST_CASE("Uneven ends: a rim that is a saddle of 5 or 10 % of the radius is one", "[unit]") {
  for (const bool closed : {false, true})
    for (const double wave : {0.05, 0.1}) {
      INFO((closed ? "closed, saddle of " : "open, saddle of ") << wave);
      TriangleMesh tube = closed ? domedTube(0.0) : openTube();
      for (Double3& v : tube.vertex)
        if (v[2] < 1e-9 || v[2] > 10.0 - 1e-9) {
          const double r2 = v[0] * v[0] + v[1] * v[1];
          v[2] += wave * r2 * std::cos(2.0 * std::atan2(v[1], v[0]));
        }
      checkTwoEnds(tube, circle, 0.02);
    }
}

TEST_CASE("Uneven ends: a fillet of 15 % of the radius between cap and wall keeps the end",
          "[unit]") {
  for (const int steps : {3, 6, 10}) {
    INFO(steps << " steps");
    checkTwoEnds(filletedTube(0.15, steps, 80), 0.85 * 0.85 * circle, 0.2);
  }
}

TEST_CASE("Uneven ends: a last part that narrows by 60 degrees, or a wall that bulges, keeps it",
          "[unit]") {
  for (const bool closed : {false, true}) {
    INFO((closed ? "closed" : "open"));
    Profile cone;
    const double narrow = 0.6, height = (1.0 - narrow) / std::tan(std::numbers::pi / 3.0);
    const auto sides = [&](Profile& profile, bool low) {
      for (int k = low ? 1 : 7; low ? k <= 8 : k >= 0; k += low ? 1 : -1)
        profile.point.push_back(
            {narrow + (1.0 - narrow) * k / 8, low ? height * k / 8 : 10.0 - height * k / 8});
    };
    if (closed)
      addCap(cone, narrow, 0.0, 0.0, true);
    else
      cone.point.push_back({narrow, 0.0});
    sides(cone, true);
    for (int k = 1; k <= 70; ++k)
      cone.point.push_back({1.0, height + (10.0 - 2.0 * height) * k / 70});
    sides(cone, false);
    if (closed) addCap(cone, narrow, 10.0, 0.0, false);
    checkTwoEnds(revolve(cone), narrow * narrow * circle, 0.02);

    Profile bulge;  // a ball cut off 38 degrees from both of its poles
    const double cut = 38.0 * std::numbers::pi / 180.0;
    if (closed)
      addCap(bulge, 3.0 * std::sin(cut), -3.0 * std::cos(cut), 0.0, true);
    else
      bulge.point.push_back({3.0 * std::sin(cut), -3.0 * std::cos(cut)});
    for (int k = 1; k < 40; ++k) {
      const double polar = cut + (std::numbers::pi - 2.0 * cut) * k / 40;
      bulge.point.push_back({3.0 * std::sin(polar), -3.0 * std::cos(polar)});
    }
    bulge.point.push_back({3.0 * std::sin(cut), 3.0 * std::cos(cut)});
    if (closed) addCap(bulge, 3.0 * std::sin(cut), 3.0 * std::cos(cut), 0.0, false);
    checkTwoEnds(revolve(bulge), 9.0 * std::sin(cut) * std::sin(cut) * circle, 0.02);
  }
}

TEST_CASE("Uneven ends: a plane face in a wall that narrows widely to it is a candidate",
          "[unit]") {
  std::mt19937 random(6);
  for (const double angle : {50.0, 60.0})
    for (const double narrow : {0.3, 0.5}) {
      INFO(angle << " degrees to " << narrow);
      const double ahead = (1.0 - narrow) / std::tan(angle * std::numbers::pi / 180.0);
      Profile cone;
      addCap(cone, narrow, -ahead, 0.0, true);
      for (int k = 1; k <= 4; ++k)
        cone.point.push_back({narrow + (1.0 - narrow) * k / 4, ahead * (k / 4.0 - 1.0)});
      for (int k = 1; k <= 80; ++k) cone.point.push_back({1.0, 0.125 * k});
      const Ends ends = endsOf(rotated(revolve(cone), random));
      CHECK(ends.openings.size() == 1);
      CHECK(ends.patches == 1);
    }
}

TEST_CASE("Uneven ends: a facet of few long edges in a wall that turns away little is a candidate",
          "[unit]") {
  Profile bulge{{}, 12};  // a ball cut off 38 degrees from both of its poles
  const double cut = 38.0 * std::numbers::pi / 180.0;
  addCap(bulge, 3.0 * std::sin(cut), -3.0 * std::cos(cut), 0.0, true, 2);
  for (int k = 1; k < 40; ++k) {
    const double polar = cut + (std::numbers::pi - 2.0 * cut) * k / 40;
    bulge.point.push_back({3.0 * std::sin(polar), -3.0 * std::cos(polar)});
  }
  addCap(bulge, 3.0 * std::sin(cut), 3.0 * std::cos(cut), 0.0, false, 2);
  TriangleMesh mesh = revolve(bulge);
  CHECK(endsOf(mesh).openings.size() == 2);
  for (Double3& v : mesh.vertex) {  // six long edges and six short ones
    const auto i = std::lround(6.0 / std::numbers::pi * std::atan2(v[1], v[0]) + 12.0) % 12;
    const double radius = std::hypot(v[0], v[1]);
    const double angle = std::numbers::pi / 3.0 * static_cast<double>(i / 2) + 0.1 * (i % 2 == 1);
    v = {radius * std::cos(angle), radius * std::sin(angle), v[2]};
  }
  std::mt19937 random(9);
  const Ends ends = endsOf(rotated(mesh, random));
  CHECK(ends.openings.empty());
  CHECK(ends.patches == 2);
  CHECK_THAT(ends.reason, Catch::Contains("few edges bound it, and the wall turns away"));
}

TEST_CASE("Uneven ends: flat ends of 10:1 are openings", "[unit]") {
  for (const bool closed : {false, true}) {
    INFO((closed ? "closed" : "open"));
    TriangleMesh tube = closed ? domedTube(0.0) : openTube();
    for (Double3& v : tube.vertex) v = {std::sqrt(10.0) * v[0], v[1] / std::sqrt(10.0), 2.0 * v[2]};
    checkTwoEnds(tube, circle, 0.02);
  }
}

TEST_CASE("Uneven ends: small holes in the wall are filled with a warning", "[unit]") {
  TriangleMesh tube = openTube();
  dropTriangles(tube, [&](std::size_t t) {
    const Double3& v = tube.vertex[tube.triangle[t][0]];
    for (int hole = 0; hole < 12; ++hole) {
      const double angle = 2.4 * hole;
      if (length(v - Double3{std::cos(angle), std::sin(angle), 1.0 + 0.7 * hole}) < 0.25)
        return true;
    }
    return false;
  });
  const RepairedMesh repaired = repair(soupOf(tube), 1.0, "a.stl");
  CHECK(repaired.caps.size() == 2);
  CHECK(std::any_of(repaired.warnings.begin(), repaired.warnings.end(), [](const auto& warning) {
    return warning.find("12 hole(s)") != std::string::npos;
  }));
}

TEST_CASE("Uneven ends: an open tube that reaches the ends is reported as open", "[unit]") {
  TriangleMesh both = openTube(), inner = openTube();
  for (Double3& v : inner.vertex) v = {0.3 * v[0], 0.3 * v[1], v[2]};
  const auto first = static_cast<Index>(both.vertex.size());
  both.vertex.insert(both.vertex.end(), inner.vertex.begin(), inner.vertex.end());
  for (const auto& t : inner.triangle)
    both.triangle.push_back({t[0] + first, t[1] + first, t[2] + first});
  both.label.assign(both.triangle.size(), 0);
  const RepairedMesh repaired = repair(soupOf(both), 1.0, "a.stl");
  REQUIRE(repaired.warnings.size() == 1);
  CHECK(repaired.warnings[0].find("1 open part(s)") == 0);
}

TEST_CASE("Uneven ends: nicks in an open rim keep it", "[unit]") {
  TriangleMesh tube = openTube();
  const Double3 nicks[] = {{1.0, 0.0, 0.0}, {0.0, -1.0, 10.0}, {-1.0, 0.0, 0.0}};
  dropTriangles(tube, [&](std::size_t t) {
    return std::any_of(tube.triangle[t].begin(), tube.triangle[t].end(), [&](Index v) {
      return std::any_of(std::begin(nicks), std::end(nicks),
                         [&](const Double3& n) { return length(tube.vertex[v] - n) < 0.34; });
    });
  });
  checkTwoEnds(tube, circle, 0.05);
}

TEST_CASE("Uneven ends: a round tube that flattens to 10:1 ends there, not on its flat sides",
          "[unit]") {
  TriangleMesh tube = domedTube(0.0);
  for (Double3& v : tube.vertex) {
    const double t = std::clamp((v[2] - 4.0) / 4.0, 0.0, 1.0);
    const double stretch = std::pow(10.0, 0.5 * t * t * (3.0 - 2.0 * t));
    v = {stretch * v[0], v[1] / stretch, v[2]};
  }
  checkTwoEnds(tube, circle, 0.02);
}

TEST_CASE("Uneven ends: fillets and narrowing keep the ends of a wall with triangles of ten radii",
          "[unit]") {
  checkTwoEnds(filletedTube(0.15, 5, 1), 0.85 * 0.85 * circle, 0.2);
  const double narrow = 0.6, height = (1.0 - narrow) / std::tan(std::numbers::pi / 3.0);
  checkTwoEnds(revolve({{{narrow, 0.0}, {1.0, height}, {1.0, 10.0 - height}, {narrow, 10.0}}}),
               narrow * narrow * circle, 0.02);
}

TEST_CASE("Uneven ends: long facets of a coarse wall are neither ends nor candidates", "[unit]") {
  for (const Index around : {8U, 12U, 16U}) {
    INFO(around << " sides");
    Profile profile;
    profile.around = around;
    for (const double z : {0.0, 10.0, 20.0, 30.0})
      profile.point.push_back({z > 5.0 && z < 15.0 ? 1.3 : 1.0, z});
    const Ends ends = endsOf(revolve(profile));
    CHECK(ends.openings.size() == 2);
    CHECK(ends.patches == 0);
  }
}

TEST_CASE("Uneven ends: a ledge, before which a wall rises, is none", "[unit]") {
  TriangleMesh tube = domedTube(0.05);
  // Half of the upper end lies lower by 1.5, beyond a steep wall along its diameter.
  for (Double3& v : tube.vertex)
    if (v[2] > 7.0 && v[0] < -0.05) v[2] -= 1.5 * (v[2] - 7.0) / 3.0;
  const Ends ends = endsOf(tube);
  REQUIRE(!ends.openings.empty());
  CHECK(ends.openings[0].normal[2] == Approx(-1.0).margin(0.02));
  for (const Opening& opening : ends.openings)
    CHECK((opening.centre[2] < 0.1 || opening.centre[2] > 9.9));
}

TEST_CASE("Uneven ends: the rings that close an annular duct are candidates, a step is none",
          "[unit]") {
  std::mt19937 random(4);
  // Profile of a closed ring: outer wall and bore, both from end to end.
  const Ends duct = endsOf(rotated(ringMesh(1.0, 0.5, 4.0), random));
  CHECK(duct.openings.empty());
  CHECK(duct.patches == 2);
  CHECK(duct.rings == 2);
  Profile step;
  step.point = {{1.0, 0.0}, {1.0, 2.0}, {1.0, 4.0}, {2.0, 4.0}, {2.0, 6.0}, {2.0, 9.0}};
  const Ends widening = endsOf(rotated(revolve(step), random));
  CHECK(widening.openings.size() == 2);
  CHECK(widening.patches == 0);
}
