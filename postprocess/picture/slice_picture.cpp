// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/slice_picture.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "pipelines/picture/canvas.hpp"
#include "pipelines/picture/colour_bar.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/node_lookup.hpp"
#include "postprocess/picture/annotate.hpp"
#include "postprocess/picture/plane_cut.hpp"
#include "postprocess/sample_field.hpp"

namespace tessera {
namespace {

Double3 asDouble(const Int3& node) {
  return {static_cast<double>(node[0]), static_cast<double>(node[1]), static_cast<double>(node[2])};
}

// The corners of the lattice's box, world.
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

// The lattice's axes from the longest to the shortest side, for images.
std::array<Double3, 3> boxAxes(const TiledGeometry& geometry) {
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return geometry.nodes[a] > geometry.nodes[b];
  });
  const Double3 &first = geometry.frame.axis[order[0]], &second = geometry.frame.axis[order[1]];
  return {first, second, cross(first, second)};
}

// A point of the plane across `normal` that lies in the layer, one spacing thick, with most nodes.
Double3 fullestLayer(const NodeLookup& lookup, const Double3& normal) {
  const Frame& frame = lookup.geometry.frame;
  const auto corners = boxCorners(lookup.geometry);
  double lowest = 1e300, highest = -1e300;
  for (const Double3& corner : corners) {
    lowest = std::min(lowest, dot(corner, normal));
    highest = std::max(highest, dot(corner, normal));
  }
  std::vector<std::uint64_t> count(static_cast<std::size_t>((highest - lowest) / frame.spacing) + 2,
                                   0);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t) {
    const Double3 world = frame.toWorld(asDouble(lookup.geometry.nodeOf(t, l)));
    ++count[static_cast<std::size_t>((dot(world, normal) - lowest) / frame.spacing)];
  });
  const auto fullest = std::max_element(count.begin(), count.end()) - count.begin();
  return (lowest + (static_cast<double>(fullest) + 0.5) * frame.spacing) * normal;
}

// Whether a world position lies within 1.5 spacings of an opening, where no wall stops the fluid.
bool nearOpening(const std::vector<OpeningSummary>& openings, double spacing,
                 const Double3& world) {
  return std::any_of(openings.begin(), openings.end(), [&](const OpeningSummary& opening) {
    const Double3 from = world - opening.centre;
    const double across = dot(from, opening.normal);
    return std::abs(across) < 1.5 * spacing &&
           length(from - across * opening.normal) < opening.radius - spacing;
  });
}

// Speed, falling to zero at the wall: half of the interpolation's weight is solid there. Negative
// where there is no node at all.
double speedAt(const Results& results, const NodeLookup& lookup, const Fields& fields,
               const Double3& world) {
  const TiledGeometry& geometry = lookup.geometry;
  const Stencil stencil = stencilAt(lookup, geometry.frame.toLattice(world));
  if (stencil.count == 0) return -1.0;
  const double still = nearOpening(results.openings, geometry.frame.spacing, world)
                           ? 1.0
                           : 2.0 * stencil.fluidPart - 1.0;
  const Double3 u = sample(fields.velocity, stencil);
  return std::clamp(still, 0.0, 1.0) * length(u) * fields.velocityFactor;
}

struct Slice {
  std::vector<double> speed;  // one a pixel; negative outside the fluid
  double largest = 0.0;
};

Slice sampleSlice(const Results& results, const NodeLookup& lookup, const Fields& fields,
                  const Camera& pixels, const std::vector<char>& inside, int width, int height) {
  Slice slice;
  slice.speed.assign(inside.size(), -1.0);
  tbb::parallel_for(0, height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                            static_cast<std::size_t>(x);
      if (inside[i] != 0)
        slice.speed[i] = speedAt(results, lookup, fields, pixels.unproject(x + 0.5, y + 0.5));
    }
  });
  for (double speed : slice.speed) slice.largest = std::max(slice.largest, speed);
  return slice;
}

// Pixels whose nearest node is not solid: the outline where there is no surface.
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

void drawOutline(const std::vector<CutSegment>& outline, Drawing& drawing) {
  for (const CutSegment& s : outline)
    drawing.line(s.a, s.b, isOpening(s.label) ? softInk : ink, isOpening(s.label) ? 0.8 : 1.4);
}

void paintSlice(const Slice& slice, const ColourScale& scale, Image& image) {
  for (std::size_t i = 0; i < slice.speed.size(); ++i)
    if (slice.speed[i] >= 0.0)
      image.pixel[i] = mapColour(scale.map, scale.positionOf(slice.speed[i]));
}

Camera sliceView(const Results& results, const NodeLookup& lookup) {
  const WallShear& wall = results.wall;
  // Images are cut along their voxels.
  const bool hasWall = !wall.triangle.empty() && !wall.fromVoxels;
  const auto axes = hasWall ? principalAxes(wall.vertex, wall.triangle) : boxAxes(lookup.geometry);
  const auto points = hasWall ? wall.vertex : boxCorners(lookup.geometry);
  Camera camera = frameView(axes[2], axes, points, geometryFrame);
  const Double3 layer = fullestLayer(lookup, axes[2]);
  camera.target = camera.target + dot(layer - camera.target, axes[2]) * axes[2];
  return camera;
}

}  // namespace

std::optional<Image> drawVelocitySlice(const Results& results, const Fields& fields,
                                       const TiledGeometry& geometry) {
  if (fields.velocity.empty()) return std::nullopt;
  const NodeLookup lookup(geometry);
  const Camera camera = sliceView(results, lookup);
  const Camera pixels = camera.magnified(pageScale);
  Image image(static_cast<int>(pageWidth * pageScale), static_cast<int>(pageHeight * pageScale),
              white);
  const bool hasSurface = !geometry.surface.triangle.empty();
  const auto inside =
      hasSurface ? insideOutline(surfaceOutline(geometry, pixels), image.width, image.height)
                 : insideNodes(lookup, pixels, image.width, image.height);
  const Slice slice =
      sampleSlice(results, lookup, fields, pixels, inside, image.width, image.height);
  const DisplayUnit unit = displayUnit("m/s", slice.largest);
  paintSlice(slice, {ColourMap::Magma, 0.0, slice.largest}, image);

  Drawing drawing{pageWidth, pageHeight, {}};
  drawTitle("Velocity \u00b7 " + results.title,
            "magnitude on the plane of the two longest axes, largest " +
                formatNumber(slice.largest * unit.factor, 3) + ' ' + unit.name + " there, " +
                formatNumber(results.velocityMax * unit.factor, 3) + ' ' + unit.name + " anywhere",
            drawing);
  if (hasSurface)
    drawOutline(surfaceOutline(geometry, camera), drawing);
  else
    drawOutline(cutSurface(results.wall.vertex, results.wall.triangle, results.wall.label, camera),
                drawing);
  drawAxesTriad(camera, drawing);
  drawScaleBar(camera, drawing);
  ColourBar bar;
  bar.scale = {ColourMap::Magma, 0.0, slice.largest * unit.factor};
  bar.caption = "velocity magnitude [" + unit.name + ']';
  bar.corner = {838.0, 150.0};
  bar.height = 400.0;
  drawColourBar(bar, drawing);
  paint(drawing, pageScale, image);
  return image;
}

}  // namespace tessera
