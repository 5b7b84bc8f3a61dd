// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/slice_picture.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/fields/sample_field.hpp"
#include "postprocess/picture/wall_picture.hpp"

namespace tessera::postprocess::picture {

std::vector<CutSegment> cutSurface(const std::vector<Double3>& vertex,
                                   const std::vector<stage::Triangle>& triangle,
                                   const std::vector<preprocess::geometry::Patch>& label,
                                   const tessera::picture::Camera& camera) {
  std::vector<tessera::picture::Projected> seen(vertex.size());
  tbb::parallel_for(std::size_t{0}, vertex.size(),
                    [&](std::size_t v) { seen[v] = camera.project(vertex[v]); });
  std::vector<CutSegment> segments;
  for (std::size_t t = 0; t < triangle.size(); ++t) {
    std::array<tessera::picture::Point, 2> end{};
    std::size_t found = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      // From the lower to the higher vertex, so that both triangles of an edge get the same point.
      const auto [low, high] = std::minmax(triangle[t][k], triangle[t][(k + 1) % 3]);
      const tessera::picture::Projected &p = seen[low], &q = seen[high];
      if ((p.depth >= 0.0) == (q.depth >= 0.0)) continue;
      const double along = p.depth / (p.depth - q.depth);
      end[found++] = {p.x + along * (q.x - p.x), p.y + along * (q.y - p.y)};
    }
    if (found == 2) segments.push_back({end[0], end[1], label[t]});
  }
  return segments;
}

std::vector<char> insideOutline(const std::vector<CutSegment>& outline, int width, int height) {
  std::vector<std::vector<double>> crossings(static_cast<std::size_t>(height));
  for (const CutSegment& s : outline) {
    const tessera::picture::Point &top = s.a.y < s.b.y ? s.a : s.b,
                                  &bottom = s.a.y < s.b.y ? s.b : s.a;
    const int first = std::max(0, static_cast<int>(std::ceil(top.y - 0.5)));
    const int last = std::min(height - 1, static_cast<int>(std::ceil(bottom.y - 0.5)) - 1);
    for (int row = first; row <= last; ++row)
      crossings[static_cast<std::size_t>(row)].push_back(
          top.x + (row + 0.5 - top.y) / (bottom.y - top.y) * (bottom.x - top.x));
  }
  std::vector<char> inside(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  tbb::parallel_for(0, height, [&](int row) {
    auto& x = crossings[static_cast<std::size_t>(row)];
    std::sort(x.begin(), x.end());
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      const int first = std::max(0, static_cast<int>(std::ceil(x[i] - 0.5)));
      const int last = std::min(width, static_cast<int>(std::ceil(x[i + 1] - 0.5)));
      for (int column = first; column < last; ++column)
        inside[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(column)] = 1;
    }
  });
  return inside;
}

using fields::NodeLookup;
using tessera::picture::Camera;
using tiler::TiledGeometry;

namespace {

Double3 asDouble(const Int3& node) {
  return {static_cast<double>(node[0]), static_cast<double>(node[1]), static_cast<double>(node[2])};
}

// Corners of the lattice box, world.
std::vector<Double3> boxCorners(const TiledGeometry& geometry) {
  std::vector<Double3> corners;
  for (int c = 0; c < 8; ++c) {
    Double3 lattice{};
    for (std::size_t a = 0; a < 3; ++a)
      lattice[a] = (c >> a & 1) != 0 ? geometry.nodes[a] - 0.5 : -0.5;
    corners.push_back(geometry.frame.toWorld(lattice));
  }
  return corners;
}

// Lattice axes from the longest to the shortest side, for images.
std::array<Double3, 3> boxAxes(const TiledGeometry& geometry) {
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return geometry.nodes[a] > geometry.nodes[b];
  });
  const Double3 &first = geometry.frame.axis[order[0]], &second = geometry.frame.axis[order[1]];
  return {first, second, cross(first, second)};
}

// A point in the layer across `normal`, one spacing thick, with most nodes.
Double3 fullestLayer(const NodeLookup& lookup, const Double3& normal) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  const auto corners = boxCorners(lookup.geometry);
  double lowest = 1e300, highest = -1e300;
  for (const Double3& corner : corners) {
    lowest = std::min(lowest, dot(corner, normal));
    highest = std::max(highest, dot(corner, normal));
  }
  std::vector<std::uint64_t> count(static_cast<std::size_t>((highest - lowest) / frame.spacing) + 2,
                                   0);
  fields::forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t) {
    const Double3 world = frame.toWorld(asDouble(lookup.geometry.nodeOf(t, l)));
    ++count[static_cast<std::size_t>((dot(world, normal) - lowest) / frame.spacing)];
  });
  const auto fullest = std::max_element(count.begin(), count.end()) - count.begin();
  return (lowest + (static_cast<double>(fullest) + 0.5) * frame.spacing) * normal;
}

// Whether a world position lies within 1.5 spacings of an opening, where the velocity does not fall
// to zero.
bool nearOpening(const std::vector<results::OpeningSummary>& openings, double spacing,
                 const Double3& world) {
  return std::any_of(openings.begin(), openings.end(), [&](const results::OpeningSummary& opening) {
    const Double3 from = world - opening.centre;
    const double across = dot(from, opening.normal);
    return std::abs(across) < 1.5 * spacing &&
           length(from - across * opening.normal) < opening.radius - spacing;
  });
}

// Quantity shown, and its sources.
struct Shown {
  const results::Results& results;
  const solver::file::Fields& fields;
  const NodeLookup& lookup;
  SliceOf what;
};

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

// SI value. Speed falls to zero at the wall: half of the interpolation's weight is solid there. NaN
// without nodes.
float valueAt(const Shown& shown, const Double3& world) {
  const preprocess::geometry::Frame& frame = shown.lookup.geometry.frame;
  const fields::Stencil stencil = fields::stencilAt(shown.lookup, frame.toLattice(world));
  if (stencil.count == 0) return nothing;
  if (shown.what == SliceOf::Pressure)
    return static_cast<float>(
        shown.fields.pressurePa(fields::sample(shown.fields.pressure, stencil)));
  const double still = nearOpening(shown.results.openings, frame.spacing, world)
                           ? 1.0
                           : 2.0 * stencil.fluidPart - 1.0;
  const Double3 u = fields::sample(shown.fields.velocity, stencil);
  return static_cast<float>(std::clamp(still, 0.0, 1.0) * length(u) * shown.fields.velocityFactor);
}

void sampleInside(const Shown& shown, const Camera& pixels, const std::vector<char>& inside,
                  Slice& slice) {
  const int width = slice.width, height = slice.height;
  slice.value.assign(inside.size(), nothing);
  tbb::parallel_for(0, height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                            static_cast<std::size_t>(x);
      if (inside[i] != 0) slice.value[i] = valueAt(shown, pixels.unproject(x + 0.5, y + 0.5));
    }
  });
  slice.least = shown.what == SliceOf::Speed ? 0.0 : 1e300;
  slice.largest = shown.what == SliceOf::Speed ? 0.0 : -1e300;
  for (float value : slice.value) {
    if (std::isnan(value)) continue;
    slice.least = std::min(slice.least, static_cast<double>(value));
    slice.largest = std::max(slice.largest, static_cast<double>(value));
  }
  if (slice.least > slice.largest) slice.least = slice.largest = 0.0;
}

// Pixels whose nearest node is not solid: the outline without a surface.
std::vector<char> insideNodes(const NodeLookup& lookup, const Camera& pixels, int width,
                              int height) {
  std::vector<char> inside(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  tbb::parallel_for(0, height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const Double3 p = lookup.geometry.frame.toLattice(pixels.unproject(x + 0.5, y + 0.5));
      Int3 node{};
      bool inBox = true;
      for (std::size_t a = 0; a < 3; ++a) {
        node[a] = static_cast<int>(std::floor(p[a] + 0.5));
        inBox = inBox && node[a] >= 0 && node[a] < lookup.geometry.nodes[a];
      }
      inside[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(x)] = inBox && lookup.indexOf(node) >= 0;
    }
  });
  return inside;
}

std::vector<CutSegment> surfaceOutline(const TiledGeometry& geometry, const Camera& camera) {
  std::vector<Double3> vertex;
  vertex.reserve(geometry.surface.vertex.size());
  for (const Float3& v : geometry.surface.vertex)
    vertex.push_back(geometry.frame.toWorld({v[0], v[1], v[2]}));
  return cutSurface(vertex, geometry.surface.triangle, geometry.surface.label, camera);
}

void drawOutline(const std::vector<CutSegment>& outline, tessera::picture::Drawing& drawing) {
  for (const CutSegment& s : outline)
    drawing.line(s.a, s.b,
                 preprocess::geometry::isOpening(s.label) ? tessera::picture::softInk
                                                          : tessera::picture::ink,
                 preprocess::geometry::isOpening(s.label) ? 0.8 : 1.4);
}

void paintValues(const Slice& slice, const tessera::picture::ColourScale& scale,
                 tessera::picture::Image& image) {
  for (std::size_t i = 0; i < slice.value.size(); ++i)
    if (!std::isnan(slice.value[i]))
      image.pixel[i] = tessera::picture::mapColour(
          scale.map, scale.positionOf(static_cast<double>(slice.value[i])));
}

Camera sliceView(const results::Results& results, const NodeLookup& lookup, SlicePlane plane,
                 const std::optional<Camera>& wallView) {
  const results::WallShear& wall = results.wall;
  // Images are cut along their voxels.
  const bool hasWall = !wall.triangle.empty() && !wall.fromVoxels;
  auto axes = hasWall ? tessera::picture::principalAxes(wall.vertex, wall.triangle)
                      : boxAxes(lookup.geometry);
  if (plane == SlicePlane::Across) axes = {axes[0], axes[2], -1.0 * axes[1]};
  const auto points = hasWall ? wall.vertex : boxCorners(lookup.geometry);
  const tessera::picture::Rectangle& frame = tessera::picture::geometryFrame;
  Camera camera = wallView ? tessera::picture::viewLike(*wallView, axes[2], axes, points, frame)
                           : tessera::picture::frameView(axes[2], axes, points, frame);
  const Double3 layer = fullestLayer(lookup, axes[2]);
  camera.target = camera.target + dot(layer - camera.target, axes[2]) * axes[2];
  return camera;
}

tessera::picture::DisplayUnit unitOfSlice(SliceOf what, double least, double largest) {
  return tessera::picture::displayUnit(what == SliceOf::Speed ? "m/s" : "Pa",
                                       std::max(std::abs(least), std::abs(largest)));
}

std::string subtitleOf(const Slice& slice, const results::Results& results) {
  const tessera::picture::DisplayUnit unit = unitOfSlice(slice.what, slice.least, slice.largest);
  const bool pulsatile = results.period.has_value();
  const auto quantity = [&](double si) {
    return tessera::picture::formatNumber(si * unit.factor, 3) + ' ' + unit.name;
  };
  const std::string where =
      std::string(pulsatile ? "at the end of the run, " : "") + planeName(results, slice.plane);
  if (slice.what == SliceOf::Pressure)
    return "gauge, " + where + ", from " + quantity(slice.least) + " to " + quantity(slice.largest);
  return "magnitude " + where + ", largest here " + quantity(slice.largest) + ", overall " +
         quantity(results.velocityMax);
}

void drawSurroundings(const results::Results& results, const TiledGeometry& geometry,
                      const Camera& camera, tessera::picture::Drawing& drawing) {
  const results::WallShear& wall = results.wall;
  drawOutline(geometry.surface.triangle.empty()
                  ? cutSurface(wall.vertex, wall.triangle, wall.label, camera)
                  : surfaceOutline(geometry, camera),
              drawing);
  tessera::picture::drawAxesTriad(camera, drawing, tessera::picture::triadOrigin,
                                  tessera::picture::triadArm, geometry.frame.space);
  tessera::picture::drawScaleBar(camera, drawing);
}

}  // namespace

std::string planeName(const results::Results& results, SlicePlane plane) {
  if (results.flat()) return "in the plane of the flow";
  const bool isBox = results.wall.triangle.empty() || results.wall.fromVoxels;
  return std::string("on the plane of the ") +
         (plane == SlicePlane::Main ? "two longest " : "longest and the shortest ") +
         (isBox ? (plane == SlicePlane::Main ? "sides of the box" : "side of the box")
                : (plane == SlicePlane::Main ? "axes" : "axis")) +
         " with most nodes";
}

std::optional<Slice> sampleSlice(const results::Results& results,
                                 const solver::file::Fields& fields, const NodeLookup& lookup,
                                 SliceOf what, SlicePlane plane, double pixelsPerUnit,
                                 const std::optional<Camera>& wallView) {
  if (fields.velocity.empty()) return std::nullopt;
  const TiledGeometry& geometry = lookup.geometry;
  Slice slice;
  slice.what = what;
  slice.plane = plane;
  slice.pixelsPerUnit = pixelsPerUnit;
  slice.width = static_cast<int>(tessera::picture::pageWidth * pixelsPerUnit);
  slice.height = static_cast<int>(tessera::picture::pageHeight * pixelsPerUnit);
  slice.camera = sliceView(results, lookup, plane, wallView);
  const Camera pixels = slice.camera.magnified(pixelsPerUnit);
  const auto inside =
      geometry.surface.triangle.empty()
          ? insideNodes(lookup, pixels, slice.width, slice.height)
          : insideOutline(surfaceOutline(geometry, pixels), slice.width, slice.height);
  sampleInside({results, fields, lookup, what}, pixels, inside, slice);
  return slice;
}

tessera::picture::Image paintSlice(const Slice& slice, const results::Results& results,
                                   const TiledGeometry& geometry, double least, double largest,
                                   const std::string& subtitle) {
  tessera::picture::Image image(slice.width, slice.height, tessera::picture::white);
  const bool speed = slice.what == SliceOf::Speed;
  const tessera::picture::DisplayUnit unit = unitOfSlice(slice.what, least, largest);
  const tessera::picture::ColourMap map = speed ? speedColours : pressureColours;
  paintValues(slice, {map, least, largest}, image);

  tessera::picture::Drawing drawing{tessera::picture::pageWidth, tessera::picture::pageHeight, {}};
  tessera::picture::drawTitle((speed ? "Velocity \u00b7 " : "Pressure \u00b7 ") + results.title,
                              subtitle, drawing);
  drawSurroundings(results, geometry, slice.camera, drawing);
  tessera::picture::drawPageColourBar(
      {map, least * unit.factor, largest * unit.factor},
      (speed ? "velocity magnitude [" : "pressure, gauge [") + unit.name + ']', false, false,
      drawing);
  tessera::picture::paint(drawing, slice.pixelsPerUnit, image);
  return image;
}

std::optional<tessera::picture::Image> drawSlice(const results::Results& results,
                                                 const solver::file::Fields& fields,
                                                 const NodeLookup& lookup, SliceOf what,
                                                 SlicePlane plane,
                                                 const std::optional<Camera>& wallView) {
  const auto slice =
      sampleSlice(results, fields, lookup, what, plane, tessera::picture::pageScale, wallView);
  if (!slice) return std::nullopt;
  return paintSlice(*slice, results, lookup.geometry, slice->least, slice->largest,
                    subtitleOf(*slice, results));
}

}  // namespace tessera::postprocess::picture
