// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/streamlines.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "pipelines/picture/image.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/tube.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/fields/sample_field.hpp"
#include "postprocess/picture/wall_picture.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::picture {

using preprocess::geometry::Opening;

namespace {

constexpr double step = 0.5;          // nodes
constexpr double slowest = 1e-5;      // relative to the fastest: at rest below
constexpr double inletShare = 0.01;   // of the largest inflow: not an inlet below
constexpr double roundShare = 0.9;    // part of a disc in the fluid: round opening above
constexpr double linesPerLength = 4;  // longest line in multiples of the longest side of the box

// Point i of n distributed evenly over a disc (H. Vogel 1979), in units of its radius.
std::array<double, 2> sunflower(std::size_t i, std::size_t n) {
  const double radius = std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(n));
  const double angle = static_cast<double>(i) * std::numbers::pi * (3.0 - std::sqrt(5.0));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

struct Here {
  Double3 velocity{};  // as stored, lattice axes
  double speed = 0.0;  // the same, falling to zero at the wall
  bool inside = false;
  fields::Stencil stencil;
};

Here at(const VelocityField& field, const Double3& place) {
  const Int3& nodes = field.lookup.geometry.nodes;
  for (std::size_t a = 0; a < 3; ++a)
    if (!(place[a] >= -0.5 && place[a] <= nodes[a] - 0.5)) return {};
  const fields::Stencil stencil = fields::stencilAt(field.lookup, place);
  if (stencil.count == 0 || stencil.fluidPart < 0.5) return {};
  Here here{fields::sample(field.stored, stencil), 0.0, true, stencil};
  here.speed = std::min(1.0, 2.0 * stencil.fluidPart - 1.0) * length(here.velocity);
  return here;
}

// The same, not inside if a wall stands between the place and another at most a node away.
Here reachedFrom(const VelocityField& field, const Here& other, const Double3& place) {
  const Here here = at(field, place);
  return here.inside && fields::sameSide(field.lookup, other.stencil, here.stencil) ? here : Here{};
}

// Seeds

struct Disc {
  Double3 centre, right, up, inward;  // lattice coordinates and axes
  double radius = 0.0;                // nodes
  [[nodiscard]] Double3 at(const std::array<double, 2>& p) const {
    return centre + radius * p[0] * right + radius * p[1] * up;
  }
};

Disc discInside(const preprocess::geometry::Frame& frame, const Opening& opening) {
  Disc disc;
  for (std::size_t a = 0; a < 3; ++a) disc.inward[a] = -dot(opening.normal, frame.axis[a]);
  disc.centre = frame.toLattice(opening.centre) + disc.inward;
  const Double3 helper = std::abs(disc.inward[0]) < 0.6 ? Double3{1, 0, 0} : Double3{0, 1, 0};
  disc.right = cross(disc.inward, helper);
  disc.right = (1.0 / length(disc.right)) * disc.right;
  disc.up = cross(disc.inward, disc.right);
  disc.radius = opening.radius / frame.spacing;
  return disc;
}

// Candidate seeds at an opening in lattice coordinates, ordered so that any part of the list is
// spread over the opening, and its inflow.
struct Inflow {
  std::vector<Double3> place;
  double rate = 0.0;  // stored velocity times nodes2
};

// Points of the disc in the fluid; empty if the opening differs much from the disc.
std::vector<Double3> pointsOfDisc(const VelocityField& field, const Opening& opening,
                                  std::size_t points) {
  const Disc disc = discInside(field.lookup.geometry.frame, opening);
  std::vector<Double3> place;
  for (std::size_t i = 0; i < points; ++i) {
    const Double3 p = disc.at(sunflower(i, points));
    if (at(field, p).inside) place.push_back(p);
  }
  if (static_cast<double>(place.size()) < roundShare * static_cast<double>(points)) place.clear();
  return place;
}

// Nodes with a link through the opening, for openings of any shape.
std::vector<Double3> nodesAtOpening(const tiler::TiledGeometry& geometry, int id) {
  std::vector<Double3> place;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    std::uint64_t link = geometry.linkStart[t];
    for (std::uint64_t b = geometry.boundaryStart[t]; b < geometry.boundaryStart[t + 1]; ++b) {
      const auto links = static_cast<std::uint64_t>(std::popcount(geometry.boundaryMask[b]));
      const auto first = geometry.linkPatch.begin() + static_cast<std::ptrdiff_t>(link);
      const auto last = first + static_cast<std::ptrdiff_t>(links);
      link += links;
      if (std::find(first, last, preprocess::geometry::openingPatch(id)) == last) continue;
      const Int3 node = geometry.nodeOf(t, geometry.boundaryLocal[b]);
      place.push_back({static_cast<double>(node[0]), static_cast<double>(node[1]),
                       static_cast<double>(node[2])});
    }
  }
  return place;
}

Inflow inflowOf(const VelocityField& field, const Opening& opening, std::size_t points) {
  const tiler::TiledGeometry& geometry = field.lookup.geometry;
  Inflow inflow;
  if (geometry.dimensions == 3) inflow.place = pointsOfDisc(field, opening, points);
  if (inflow.place.empty()) inflow.place = nodesAtOpening(geometry, opening.id);
  const Double3 inward = discInside(geometry.frame, opening).inward;
  for (const Double3& p : inflow.place) inflow.rate += dot(at(field, p).velocity, inward);
  if (!inflow.place.empty())
    inflow.rate *= opening.area / (geometry.frame.spacing * geometry.frame.spacing) /
                   static_cast<double>(inflow.place.size());
  std::erase_if(inflow.place,
                [&](const Double3& p) { return !(dot(at(field, p).velocity, inward) > 0.0); });
  return inflow;
}

// `wanted` of the candidates, evenly distributed in their order.
void seed(const std::vector<Double3>& from, std::size_t wanted, std::vector<Double3>& place) {
  const std::size_t count = std::min(wanted, from.size());
  for (std::size_t k = 0; k < count; ++k)
    place.push_back(from[(2 * k + 1) * from.size() / (2 * count)]);
}

std::vector<Double3> nodesEverywhere(const fields::NodeLookup& lookup, std::size_t wanted) {
  const std::uint64_t stride =
      std::max<std::uint64_t>(1, lookup.geometry.fluidNodes / std::max<std::size_t>(1, wanted));
  std::vector<Double3> place;
  fields::forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    if (index % stride != stride / 2) return;
    const Int3 node = lookup.geometry.nodeOf(t, l);
    place.push_back(
        {static_cast<double>(node[0]), static_cast<double>(node[1]), static_cast<double>(node[2])});
  });
  return place;
}

// Lines

struct Limits {
  double stopped = 0.0;  // stored speed below which a line ends
  double length = 0.0;   // nodes
  double apart = 0.0;    // nodes between points that are kept
};

Limits limitsOf(const VelocityField& field) {
  double fastest = 0.0;
  for (const auto& u : field.stored)
    fastest = std::max(fastest, static_cast<double>(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  const Int3& n = field.lookup.geometry.nodes;
  const double longest = std::max({n[0], n[1], n[2]});
  return {slowest * std::sqrt(fastest), linesPerLength * longest, std::max(1.0, longest / 400.0)};
}

// Next point along (or against) the flow; false if it leaves the fluid or crosses a wall.
bool advance(const VelocityField& field, double sense, double stopped, Double3& place) {
  std::array<Double3, 4> slope;
  constexpr std::array<double, 4> reach{0.0, 0.5, 0.5, 1.0};
  const Here start = at(field, place);
  for (std::size_t k = 0; k < 4; ++k) {
    const Here here =
        k == 0 ? start : reachedFrom(field, start, place + (reach[k] * step) * slope[k - 1]);
    const double size = length(here.velocity);
    if (!here.inside || !(size > stopped)) return false;
    slope[k] = (sense / size) * here.velocity;
  }
  place = place + (step / 6.0) * (slope[0] + 2.0 * slope[1] + 2.0 * slope[2] + slope[3]);
  return reachedFrom(field, start, place).inside;
}

// Points from the seed on in lattice coordinates, the seed first.
std::vector<Double3> follow(const VelocityField& field, const Limits& limits, double sense,
                            const Double3& seed) {
  std::vector<Double3> line{seed};
  Double3 place = seed;
  for (double along = 0.0; along < limits.length; along += step) {
    const Double3 before = place;
    if (!advance(field, sense, limits.stopped, place)) {
      if (length(before - line.back()) > 0.0) line.push_back(before);
      break;
    }
    if (length(place - line.back()) >= limits.apart - 1e-9) line.push_back(place);
  }
  return line;
}

Streamline lineThrough(const VelocityField& field, const Limits& limits, bool bothWays,
                       const Double3& seed) {
  std::vector<Double3> lattice;
  if (bothWays) {
    lattice = follow(field, limits, -1.0, seed);
    std::reverse(lattice.begin(), lattice.end());
    lattice.pop_back();
  }
  const auto downstream = follow(field, limits, 1.0, seed);
  lattice.insert(lattice.end(), downstream.begin(), downstream.end());
  Streamline line;
  for (const Double3& p : lattice) {
    line.point.push_back(field.lookup.geometry.frame.toWorld(p));
    line.speed.push_back(static_cast<float>(at(field, p).speed * field.factor));
  }
  return line;
}

}  // namespace

Seeds seedStreamlines(const VelocityField& field, std::size_t wanted) {
  std::vector<Inflow> inlets;
  double largest = 0.0, sum = 0.0;
  for (const Opening& opening : field.lookup.geometry.openings) {
    inlets.push_back(inflowOf(field, opening, wanted));
    largest = std::max(largest, inlets.back().rate);
  }
  std::erase_if(inlets, [&](const Inflow& inflow) {
    return !(inflow.rate > inletShare * largest) || inflow.place.empty();
  });
  for (const Inflow& inlet : inlets) sum += inlet.rate;
  Seeds seeds;
  for (const Inflow& inlet : inlets)
    seed(inlet.place,
         std::max<std::size_t>(
             6, static_cast<std::size_t>(static_cast<double>(wanted) * inlet.rate / sum)),
         seeds.place);
  if (seeds.place.empty()) seeds = {nodesEverywhere(field.lookup, wanted), true};
  return seeds;
}

std::vector<Streamline> traceStreamlines(const VelocityField& field, const Seeds& seeds) {
  const Limits limits = limitsOf(field);
  std::vector<Streamline> lines(seeds.place.size());
  tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
    lines[i] = lineThrough(field, limits, seeds.bothWays, seeds.place[i]);
  });
  std::erase_if(lines, [](const Streamline& line) { return line.point.size() < 4; });
  return lines;
}

using tessera::picture::RenderMesh;

namespace {

constexpr std::size_t wantedLines = 140;
constexpr double lineWidth = 1.25;  // radius in drawing units
constexpr tessera::picture::Colour glassColour{0x4c, 0x5c, 0x6e};

RenderMesh tubes(const std::vector<Streamline>& lines, float fastest, double radius) {
  RenderMesh mesh;
  mesh.map = speedColours;
  for (const Streamline& line : lines) {
    std::vector<float> shade;
    shade.reserve(line.speed.size());
    for (float speed : line.speed) shade.push_back(speed / fastest);
    tessera::picture::appendTube(line.point, shade, radius, mesh);
  }
  return mesh;
}

RenderMesh boxEdges(const tiler::TiledGeometry& geometry, double radius) {
  RenderMesh wires;
  wires.plain = tessera::picture::softInk;
  const auto corner = [&](int c) {
    Double3 lattice{};
    for (std::size_t a = 0; a < 3; ++a)
      lattice[a] = (c >> a & 1) != 0 ? geometry.nodes[a] - 0.5 : -0.5;
    return geometry.frame.toWorld(lattice);
  };
  for (int c = 0; c < 8; ++c)
    for (int a = 0; a < 3; ++a)
      if ((c >> a & 1) == 0)
        tessera::picture::appendTube(std::array{corner(c), corner(c | 1 << a)}, {}, radius, wires);
  return wires;
}

float fastestOf(const std::vector<Streamline>& lines) {
  float fastest = 0.0F;
  for (const Streamline& line : lines)
    for (float speed : line.speed) fastest = std::max(fastest, speed);
  return fastest;
}

std::string subtitleOf(const solver::file::Fields& fields, bool fromInlets, std::size_t lines) {
  return tessera::picture::formatCount(lines) +
         (fromInlets ? " lines from the inlets" : " lines through points in the whole fluid") +
         (fields.means ? ", along the mean velocity over the cycle" : "") + ", coloured by speed";
}

}  // namespace

std::optional<tessera::picture::Image> drawStreamlines(const results::Results& results,
                                                       const solver::file::Fields& fields,
                                                       const fields::NodeLookup& lookup,
                                                       WallModel& model) {
  const VelocityField field{lookup, fields.means ? fields.means->velocity : fields.velocity,
                            fields.velocityFactor};
  const Seeds seeds = seedStreamlines(field, wantedLines);
  const auto lines = traceStreamlines(field, seeds);
  const float fastest = fastestOf(lines);
  if (!(fastest > 0.0F)) return std::nullopt;

  const double unitLength = 1.0 / model.camera.scale;
  const RenderMesh flow = tubes(lines, fastest, lineWidth * unitLength);
  tessera::picture::Image image = tessera::picture::emptyPage();
  const tessera::picture::Camera pixels = model.camera.magnified(tessera::picture::pageScale);
  if (results.wall.fromVoxels) {
    const RenderMesh box = boxEdges(lookup.geometry, 0.6 * unitLength);
    tessera::picture::rasterise(std::array{&flow, &box}, pixels, image);
  } else {
    model.mesh.glass = true;
    model.mesh.plain = glassColour;
    model.mesh.shade.clear();
    const std::array<const RenderMesh*, 3> meshes{&flow, &model.rims, &model.mesh};
    tessera::picture::rasterise(meshes, pixels, image);
    model.mesh.glass = false;
  }

  const tessera::picture::DisplayUnit unit =
      tessera::picture::displayUnit("m/s", static_cast<double>(fastest));
  tessera::picture::Drawing drawing{tessera::picture::pageWidth, tessera::picture::pageHeight, {}};
  tessera::picture::drawTitle("Streamlines \u00b7 " + results.title,
                              subtitleOf(fields, !seeds.bothWays, lines.size()), drawing);
  drawOpenings(fields::openingsOverPeriod(results), model.camera, drawing);
  tessera::picture::drawAxesTriad(model.camera, drawing, tessera::picture::triadOrigin,
                                  tessera::picture::triadArm, results.space);
  tessera::picture::drawScaleBar(model.camera, drawing);
  tessera::picture::drawPageColourBar(
      {speedColours, 0.0, static_cast<double>(fastest) * unit.factor}, "speed [" + unit.name + ']',
      false, false, drawing);
  tessera::picture::paint(drawing, tessera::picture::pageScale, image);
  return image;
}

}  // namespace tessera::postprocess::picture
