// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothed surface of labelled voxels against the shape that they were cut from.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/mesher/label_net.hpp"
#include "preprocess/mesher/relax_net.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::mesher;
using namespace tessera::stage;

namespace {

constexpr double pi = std::numbers::pi;

template <class Distance>
BitLattice voxelsInside(const Int3& size, const Double3& voxel, const Distance& distance) {
  BitLattice fluid(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (distance(Double3{x * voxel[0], y * voxel[1], z * voxel[2]}) < 0.0) fluid.set(x, y, z);
  return fluid;
}

BitLattice randomVoxels(const Int3& size, double porosity, unsigned seed) {
  std::mt19937 random(seed);
  BitLattice fluid(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (static_cast<double>(random()) < porosity * 4294967296.0) fluid.set(x, y, z);
  return fluid;
}

NetMesh smoothed(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                 const Double3& voxel) {
  LabelNet net = labelNet(fluid, periodic);
  relaxNet(net, voxel);
  return meshOfNet(net, voxel);
}

double rootMean(double sum, double weight) {
  return std::sqrt(sum / weight);
}

// Errors over the wall's triangles, weighted by area.
struct Errors {
  double area = 0.0;      // m2
  double distance = 0.0;  // root mean square, m
  double angle = 0.0;     // root mean square, degrees
};

template <class Distance>
Errors errorsOf(const NetMesh& net, const Distance& distance) {
  Errors errors;
  const TriangleMesh& mesh = net.mesh;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (net.side[t] != LabelNet::wall) continue;
    const Double3 vector = areaVector(mesh, t);
    const double area = 0.5 * length(vector);
    Double3 centre{};
    for (const std::uint32_t v : mesh.triangle[t]) centre = centre + (1.0 / 3.0) * mesh.vertex[v];
    Double3 gradient{};
    for (std::size_t a = 0; a < 3; ++a) {
      Double3 step{};
      step[a] = 1e-5;
      gradient[a] = distance(centre + step) - distance(centre - step);
    }
    const double cosine = dot(vector, gradient) / (length(vector) * length(gradient));
    const double angle = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180.0 / pi;
    errors.area += area;
    errors.distance += area * distance(centre) * distance(centre);
    errors.angle += area * angle * angle;
  }
  errors.distance = rootMean(errors.distance, errors.area);
  errors.angle = rootMean(errors.angle, errors.area);
  return errors;
}

// Every edge is run along as often one way as the other.
bool isClosed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> turns;
  for (const Triangle& t : mesh.triangle)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k];
      const std::uint32_t b = t[(k + 1) % 3];
      turns[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  return std::all_of(turns.begin(), turns.end(), [](const auto& edge) { return edge.second == 0; });
}

}  // namespace

TEST_CASE("Smoothed image: a sphere has the volume of its voxels and the area of the sphere",
          "[unit]") {
  for (const double radius : {10.0, 15.0, 20.0}) {
    const Double3 centre{23.13, 22.79, 23.37};
    const auto distance = [&](const Double3& p) { return length(p - centre) - radius; };
    const BitLattice fluid = voxelsInside({46, 46, 46}, {1, 1, 1}, distance);
    const NetMesh net = smoothed(fluid, {}, {1, 1, 1});
    INFO("radius " << radius);
    CHECK(isClosed(net.mesh));
    CHECK(enclosedVolume(net.mesh) == Approx(static_cast<double>(fluid.count())).epsilon(0.001));
    CHECK(enclosedVolume(net.mesh) == Approx(4.0 / 3.0 * pi * std::pow(radius, 3)).epsilon(0.01));
    const Errors errors = errorsOf(net, distance);
    CHECK(errors.area == Approx(4.0 * pi * radius * radius).epsilon(0.01));
    CHECK(errors.distance < 0.08);
    CHECK(errors.angle < 3.0);
  }
}

TEST_CASE(
    "Smoothed image: tubes at any angle are smooth up to the image's sides, where they end flat",
    "[unit]") {
  for (const Double3& way : {Double3{1, 0, 0}, Double3{1, 0.1, 0.03}, Double3{1, 0.4, 0.3}}) {
    const double radius = 12.0;
    const Double3 along = (1.0 / length(way)) * way;
    const Double3 start{-1.0, 17.3, 17.6};
    const auto distance = [&](const Double3& p) {
      const Double3 from = p - start;
      return length(from - dot(from, along) * along) - radius;
    };
    const BitLattice fluid = voxelsInside({60, 62, 56}, {1, 1, 1}, distance);
    const NetMesh net = smoothed(fluid, {}, {1, 1, 1});
    INFO("way " << way[1] << ", " << way[2]);
    CHECK(isClosed(net.mesh));
    CHECK(enclosedVolume(net.mesh) == Approx(static_cast<double>(fluid.count())).epsilon(0.001));
    const Errors errors = errorsOf(net, distance);
    CHECK(errors.area == Approx(2.0 * pi * radius * 60.0 / along[0]).epsilon(0.01));
    CHECK(errors.distance < 0.12);
    CHECK(errors.angle < 3.5);
    for (std::size_t t = 0; t < net.side.size(); ++t)
      for (const std::uint32_t v : net.mesh.triangle[t])
        if (net.side[t] != LabelNet::wall)
          CHECK(net.mesh.vertex[v][0] == (net.side[t] == 0 ? -0.5 : 59.5));
  }
}

TEST_CASE("Smoothed image: voxels of 0.5 x 0.5 x 2 mm are smoothed in millimetres", "[unit]") {
  const Double3 voxel{0.5, 0.5, 2.0};
  const Double3 centre{11.4, 11.7, 11.3};
  const auto distance = [&](const Double3& p) { return length(p - centre) - 10.0; };
  const BitLattice fluid = voxelsInside({46, 46, 12}, voxel, distance);
  const NetMesh net = smoothed(fluid, {}, voxel);
  CHECK(enclosedVolume(net.mesh) ==
        Approx(0.5 * static_cast<double>(fluid.count())).epsilon(0.001));
  const Errors errors = errorsOf(net, distance);
  CHECK(errors.area == Approx(400.0 * pi).epsilon(0.02));
  CHECK(errors.distance < 0.15);  // of slices 2 mm apart
  CHECK(errors.angle < 7.0);
}

TEST_CASE("Smoothed image: every voxel centre stays on its side of the surface, however thin",
          "[unit]") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const Int3 size{5 + static_cast<int>(seed % 4), 7, 4 + static_cast<int>(seed % 5)};
    const std::array<bool, 3> periodic{seed % 2 != 0, seed % 3 == 1, false};
    const BitLattice fluid = randomVoxels(size, 0.1 + 0.08 * (seed % 8), seed);
    const TriangleMesh mesh = smoothed(fluid, periodic, {1, 1, 1}).mesh;
    const BitLattice again = voxelise(mesh, size, periodic);
    INFO("seed " << seed);
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x) REQUIRE(again.at(x, y, z) == fluid.at(x, y, z));
    if (!periodic[0] && !periodic[1]) CHECK(isClosed(mesh));
  }
}

TEST_CASE("Smoothed image: lines and plates one voxel thick keep their volume", "[unit]") {
  BitLattice fluid({30, 12, 12});
  for (int x = 2; x < 28; ++x) fluid.set(x, 3, 3);
  for (int x = 2; x < 28; ++x)
    for (int y = 2; y < 10; ++y) fluid.set(x, y, 8);
  const NetMesh net = smoothed(fluid, {}, {1, 1, 1});
  CHECK(enclosedVolume(net.mesh) == Approx(static_cast<double>(fluid.count())).epsilon(0.01));
}

TEST_CASE("Smoothed image: links to the wall have the distance to the sphere", "[unit]") {
  const double radius = 15.0;
  const Double3 centre{17.13, 16.79, 17.37};
  const auto distance = [&](const Double3& p) { return length(p - centre) - radius; };
  const BitLattice fluid = voxelsInside({34, 34, 34}, {1, 1, 1}, distance);
  const FoundLinks found = findLinks(fluid, {}, smoothed(fluid, {}, {1, 1, 1}).mesh);
  CHECK(found.uncrossedLinks == 0);
  double squares = 0.0, staircase = 0.0, angles = 0.0;
  std::size_t link = 0;
  for (std::size_t k = 0; k < found.boundary.node.size(); ++k) {
    const auto node = static_cast<int>(found.boundary.node[k]);
    const Double3 at{double(node % 34), double(node / 34 % 34), double(node / (34 * 34))};
    const Double3 from = at - centre;
    const double cosine = dot(normalFromCode(found.boundary.normal[k]), from) / length(from);
    angles += std::pow(std::acos(std::min(cosine, 1.0)) * 180.0 / pi, 2);
    for (std::uint32_t mask = found.boundary.mask[k]; mask != 0; mask &= mask - 1, ++link) {
      const Int3 step = directionStep(std::countr_zero(mask));
      const Double3 along{double(step[0]), double(step[1]), double(step[2])};
      const double a = dot(along, along), b = dot(along, from);
      const double exact = (-b + std::sqrt(b * b - a * (dot(from, from) - radius * radius))) / a;
      squares += std::pow(distanceFromCode(found.boundary.distance[link]) - exact, 2);
      staircase += std::pow(0.5 - exact, 2);
    }
  }
  const auto links = static_cast<double>(link);
  CHECK(rootMean(squares, links) < 0.08);
  CHECK(rootMean(staircase, links) > 0.25);
  CHECK(rootMean(angles, static_cast<double>(found.boundary.node.size())) < 3.0);
}

TEST_CASE("Smoothed image: a periodic surface meets itself at the ends of the axis", "[unit]") {
  const BitLattice fluid = randomVoxels({9, 8, 7}, 0.4, 3);
  BitLattice shifted(fluid.size);
  for (int z = 0; z < 7; ++z)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 9; ++x)
        if (fluid.at(x, y, z)) shifted.set(x, (y + 3) % 8, z);
  // The seam moves, to a plane without symmetry: same voxels, same area within the change by the
  // flat seam.
  const double area = surfaceArea(smoothed(fluid, {true, true, true}, {1, 1, 1}).mesh);
  const double other = surfaceArea(smoothed(shifted, {true, true, true}, {1, 1, 1}).mesh);
  CHECK(area == Approx(other).epsilon(0.1));
  // The ends of an axis are the same polygon, so the flow through both is equal.
  const TriangleMesh mesh = smoothed(fluid, {true, true, true}, {1, 1, 1}).mesh;
  Double3 sum{};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) sum = sum + areaVector(mesh, t);
  CHECK(length(sum) < 1e-9);
}
