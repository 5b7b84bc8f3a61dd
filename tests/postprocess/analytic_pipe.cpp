// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic_pipe.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "postprocess/fields/node_lookup.hpp"
#include "tiler/tile.hpp"

namespace tessera::test {

using namespace tessera::postprocess::fields;
using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::solver::file;

namespace {

using std::numbers::pi;

// Boundary nodes by brute force; label(position of the solid neighbour) gives the patch, outward
// the normal.
template <class Label, class Outward>
BoundaryNodes boundaryOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                         Label&& label, Outward&& outward) {
  BoundaryNodes boundary;
  const Int3& n = fluid.size;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        if (!fluid.at(x, y, z)) continue;
        std::uint32_t mask = 0;
        for (int d = 0; d < 27; ++d) {
          const Int3 step = directionStep(d);
          Int3 to{x + step[0], y + step[1], z + step[2]};
          for (std::size_t a = 0; a < 3; ++a)
            if (periodic[a]) to[a] = (to[a] + n[a]) % n[a];
          if (fluid.inside(to[0], to[1], to[2]) && fluid.at(to[0], to[1], to[2])) continue;
          mask |= 1U << d;
          boundary.distance.push_back(codeFromDistance(0.5));
          boundary.patch.push_back(
              label(Double3{x + 1.0 * step[0], y + 1.0 * step[1], z + 1.0 * step[2]}));
        }
        if (mask == 0) continue;
        boundary.node.push_back(
            static_cast<std::uint64_t>(x) +
            static_cast<std::uint64_t>(n[0]) *
                (static_cast<std::uint64_t>(y) +
                 static_cast<std::uint64_t>(n[1]) * static_cast<std::uint64_t>(z)));
        boundary.mask.push_back(mask);
        boundary.normal.push_back(codeFromNormal(outward(Int3{x, y, z}, mask)));
      }
  return boundary;
}

struct Axes {
  Double3 along, u, v;
};

Axes axesOf(const Double3& direction) {
  Double3 u = cross(direction, std::abs(direction[0]) < 0.9 ? Double3{1, 0, 0} : Double3{0, 1, 0});
  u = (1.0 / length(u)) * u;
  return {direction, u, cross(direction, u)};
}

// Side strips and two fans, closed, normals outward; openings 1 at the start, 2 at the end.
Surface tubeSurface(const PipeSpec& spec, const Double3& middle) {
  const Axes axes = axesOf(spec.direction);
  const auto n = static_cast<std::uint32_t>(spec.segments);
  Surface surface;
  const auto add = [&](const Double3& p) {
    surface.vertex.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  };
  for (const double side : {-0.5, 0.5}) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const double angle = 2.0 * pi * i / n;
      add(middle + side * spec.length * axes.along + spec.radius * std::cos(angle) * axes.u +
          spec.radius * std::sin(angle) * axes.v);
    }
  }
  add(middle - 0.5 * spec.length * axes.along);
  add(middle + 0.5 * spec.length * axes.along);
  const auto triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, Patch label) {
    surface.triangle.push_back({a, b, c});
    surface.label.push_back(label);
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    triangle(i, next, n + next, 0);
    triangle(i, n + next, n + i, 0);
    triangle(2 * n, next, i, openingPatch(1));
    triangle(2 * n + 1, n + i, n + next, openingPatch(2));
  }
  return surface;
}

void fillPoiseuille(AnalyticPipe& pipe) {
  Fields& fields = pipe.fields;
  const Frame& frame = pipe.geometry.frame;
  const Double3& along = pipe.spec.direction;
  const NodeLookup lookup(pipe.geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 node = pipe.geometry.nodeOf(t, l);
    const Double3 from = frame.toWorld({1.0 * node[0], 1.0 * node[1], 1.0 * node[2]}) - pipe.middle;
    const double s = dot(from, along);
    const Double3 r = from - s * along;
    const double speed =
        pipe.gradient / (4.0 * pipe.viscosity) * (pipe.radius() * pipe.radius() - dot(r, r));
    fields.pressure[index] =
        static_cast<float>((-pipe.gradient * s - fields.pressureReference) / fields.pressureFactor);
    const auto stress = [&](std::size_t i, std::size_t j) {
      return static_cast<float>(-0.5 * pipe.gradient * (along[i] * r[j] + along[j] * r[i]) /
                                fields.stressFactor);
    };
    for (std::size_t a = 0; a < 3; ++a)
      fields.velocity[index][a] = static_cast<float>(speed * along[a] / fields.velocityFactor);
    fields.stress[index] = {stress(0, 0), stress(1, 1), stress(2, 2),
                            stress(0, 1), stress(0, 2), stress(1, 2)};
  });
}

Opening openingAt(int id, const AnalyticPipe& pipe, double side) {
  const double area = pi * pipe.radius() * pipe.radius();
  return {id,
          "opening" + std::to_string(id),
          pipe.middle + 0.5 * side * pipe.length() * pipe.spec.direction,
          side * pipe.spec.direction,
          area,
          pipe.radius()};
}

}  // namespace

double AnalyticPipe::flowRate() const {
  return pi * std::pow(radius(), 4) * gradient / (8.0 * viscosity);
}

double AnalyticPipe::wallShear() const {
  return 0.5 * gradient * radius();
}

double AnalyticPipe::fastest() const {
  return gradient * radius() * radius() / (4.0 * viscosity);
}

double AnalyticPipe::fromAxis(const Double3& point) const {
  const Double3 from = point - middle;
  return tessera::length(from - dot(from, spec.direction) * spec.direction);
}

double relative(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

bool everywhere(int, int, int) {
  return true;
}

Fields emptyFields(const TiledGeometry& geometry) {
  Fields fields;
  fields.tilesName = "geom.tiles";
  fields.density = 1000.0;
  fields.kinematicViscosity = 1e-6;
  fields.converged = true;
  fields.pressureReference = 0.25;
  fields.pressureFactor = 0.5;
  fields.velocityFactor = 0.25;
  fields.stressFactor = 2.0;
  fields.pressure.resize(geometry.fluidNodes);
  fields.velocity.resize(geometry.fluidNodes);
  fields.stress.resize(geometry.fluidNodes);
  return fields;
}

AnalyticPipe analyticPipe(const PipeSpec& spec) {
  AnalyticPipe pipe;
  pipe.spec = spec;
  pipe.gradient = 100.0;
  pipe.viscosity = 1e-3;
  LatticeGeometry lattice;
  lattice.frame.spacing = spec.spacing;
  lattice.frame.origin = {0.01, -0.02, 0.03};
  Int3 size{};
  for (std::size_t a = 0; a < 3; ++a)
    size[a] = static_cast<int>(
        std::ceil(spec.length * std::abs(spec.direction[a]) +
                  2.0 * spec.radius * std::sqrt(1.0 - spec.direction[a] * spec.direction[a])));
  const Double3 middle{0.5 * (size[0] - 1), 0.5 * (size[1] - 1), 0.5 * (size[2] - 1)};
  pipe.middle = lattice.frame.toWorld(middle);
  lattice.fluid = BitLattice(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) {
        const Double3 from = Double3{1.0 * x, 1.0 * y, 1.0 * z} - middle;
        const double s = dot(from, spec.direction);
        if (std::abs(s) < 0.5 * spec.length && length(from - s * spec.direction) < spec.radius)
          lattice.fluid.set(x, y, z);
      }
  const auto label = [&](const Double3& place) {
    const double s = dot(place - middle, spec.direction);
    if (s <= -0.5 * spec.length) return openingPatch(1);
    return s >= 0.5 * spec.length ? openingPatch(2) : Patch{0};
  };
  const auto outward = [&](const Int3& node, std::uint32_t) {
    const Double3 from = Double3{1.0 * node[0], 1.0 * node[1], 1.0 * node[2]} - middle;
    const Double3 r = from - dot(from, spec.direction) * spec.direction;
    return length(r) > 0.0 ? (1.0 / length(r)) * r : spec.direction;
  };
  lattice.boundary = boundaryOf(lattice.fluid, lattice.periodic, label, outward);
  lattice.surface = tubeSurface(spec, middle);
  lattice.openings = {openingAt(1, pipe, -1.0), openingAt(2, pipe, 1.0)};
  pipe.geometry = coverWithTiles(std::move(lattice), {1, 2, 3});
  pipe.fields = emptyFields(pipe.geometry);
  const double drop = pipe.gradient * pipe.length();
  pipe.fields.openings = {{1, "inlet", "velocity", -pipe.flowRate(), 0.5 * drop},
                          {2, "outlet", "pressure", pipe.flowRate(), -0.5 * drop}};
  fillPoiseuille(pipe);
  return pipe;
}

TiledGeometry imageGeometry(const Int3& nodes, const std::array<bool, 3>& periodic,
                            bool (*inside)(int, int, int)) {
  LatticeGeometry lattice;
  lattice.frame.spacing = 1e-3;
  lattice.periodic = periodic;
  lattice.fluid = BitLattice(nodes);
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y)
      for (int x = 0; x < nodes[0]; ++x)
        if (inside(x, y, z)) lattice.fluid.set(x, y, z);
  const auto wall = [](const Double3&) { return Patch{0}; };
  const auto outward = [](const Int3&, std::uint32_t mask) {
    Double3 sum{};
    for (; mask != 0; mask &= mask - 1) {
      const Int3 step = directionStep(std::countr_zero(mask));
      for (std::size_t a = 0; a < 3; ++a) sum[a] += step[a];
    }
    return length(sum) > 0.0 ? (1.0 / length(sum)) * sum : Double3{0, 0, 1};
  };
  lattice.boundary = boundaryOf(lattice.fluid, periodic, wall, outward);
  return coverWithTiles(std::move(lattice), {0, 0, 0});
}

}  // namespace tessera::test
