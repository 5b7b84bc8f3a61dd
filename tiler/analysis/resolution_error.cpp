// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/resolution_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "pipelines/stage/vec3.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "tiler/analysis/sharp_edges.hpp"

namespace tessera::tiler::analysis {

namespace {

// Error of a number by resolution, N nodes across the narrowest section and Re_h = u h / nu the
// Reynolds number of the grid. Interpolated walls are of second order, and so is the inertia at the
// openings; edges, along which the wall shear falls to zero and links lack the nodes to
// interpolate, staircases of halfway walls and the ends of voxel walls are of first order.
struct Scaling {
  double wall = 0.0, inertia = 0.0;  // times 1 / N^2, Re_h / N^2
  double edges = 0.0;                // times the share of the wall within a spacing of sharp edges
  double ends = 0.0;                 // the same of the openings' rims, for voxels
  double halfway = 0.0;              // times the share of walls that are staircases over N
  double linear = 0.0;               // times 1 / N, walls by linear interpolation
  double smoothed = 0.0;             // times 1 / N, walls of smoothed voxels
  double stokes = 0.0;               // times 1 / d^2, d the Stokes layer in spacings
};
// In the order of ErrorOf.
constexpr Scaling scalings[] = {{0.8, 0.5, 0.3, 0.0, 2.5, 0.25, 2.0, 0.0},
                                {0.6, 0.1, 0.8, 0.5, 1.3, 0.2, 2.0, 0.2},
                                {1.4, 0.9, 0.5, 0.5, 3.3, 0.5, 2.0, 0.2}};

constexpr double machSquared = 0.2;  // of the largest Mach number's square

Double3 cornerOf(const preprocess::geometry::Surface& surface, std::uint32_t v) {
  const Float3& p = surface.vertex[v];
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

double lengthOf(const std::vector<std::array<Double3, 2>>& edges) {
  double sum = 0.0;
  for (const auto& [from, to] : edges) sum += length(to - from);
  return sum;
}

// Share of a wall of that area, in squared spacings, within a spacing of lines of that length.
double shareOfWall(double lines, double area) {
  return area > 0.0 ? std::min(lines / area, 1.0) : 0.0;
}

double rims(const TiledGeometry& geometry) {
  double sum = 0.0;
  for (const auto& opening : geometry.openings)
    sum += geometry.dimensions == 2
               ? 2.0
               : 2.0 * std::sqrt(std::numbers::pi * opening.area) / geometry.frame.spacing;
  return sum;
}

// Share of the boundary nodes whose wall is oblique to the axes.
double obliqueShare(const TiledGeometry& geometry) {
  constexpr double along = 0.98;
  std::size_t oblique = 0;
  for (const std::uint32_t code : geometry.boundaryNormal) {
    const Double3 n = preprocess::geometry::normalFromCode(code);
    oblique += std::max({std::abs(n[0]), std::abs(n[1]), std::abs(n[2])}) < along ? 1 : 0;
  }
  return geometry.boundaryNormal.empty()
             ? 0.0
             : static_cast<double>(oblique) / static_cast<double>(geometry.boundaryNormal.size());
}

// Share of the wall links of a surface that do not end halfway, where halfway walls put them.
double shareBetween(const TiledGeometry& geometry) {
  constexpr double exact = 0.02;  // spacings
  double between = 0.0, links = 0.0;
  for (std::size_t k = 0; k < geometry.linkPatch.size(); ++k) {
    if (preprocess::geometry::isOpening(geometry.linkPatch[k])) continue;
    links += 1.0;
    if (std::abs(preprocess::geometry::distanceFromCode(geometry.linkDistance[k]) - 0.5) > exact)
      between += 1.0;
  }
  return links > 0.0 ? between / links : 0.0;
}

// Nodes across the narrowest section: the openings and the throats between them, and 4 V / A of the
// whole; in 2D half of that, which of a plane channel is its width. area: of the wall, m2.
double nodesAcross(const TiledGeometry& geometry, double area) {
  const double h = geometry.frame.spacing;
  const bool plane = geometry.dimensions == 2;
  const double volume = static_cast<double>(geometry.fluidNodes) * h * h * h;
  double narrowest = area > 0.0 ? (plane ? 2.0 : 4.0) * volume / area / h : 0.0;
  const auto consider = [&](double section) {
    const double across =
        plane ? section / (h * h) : std::sqrt(4.0 / std::numbers::pi * section) / h;
    if (narrowest == 0.0 || across < narrowest) narrowest = across;
  };
  for (const auto& opening : geometry.openings) consider(opening.area);
  for (const auto& throat : geometry.throats) consider(throat.area / throat.passages);
  return std::max(narrowest, 1.0);
}

}  // namespace

Resolution resolutionOf(const TiledGeometry& geometry, std::string_view wallScheme, double wallArea,
                        bool smoothed) {
  const bool voxels = geometry.surface.triangle.empty();
  const bool halfway = wallScheme.empty() ? voxels : wallScheme == "halfway";
  const double area = wallArea / (geometry.frame.spacing * geometry.frame.spacing);
  Resolution out;
  out.across = nodesAcross(geometry, wallArea);
  if (halfway)
    out.staircase = std::max(obliqueShare(geometry), voxels ? 0.0 : shareBetween(geometry));
  out.edges = shareOfWall(lengthOf(sharpEdges(geometry.surface)), area);
  out.ends = voxels ? shareOfWall(rims(geometry), area) : 0.0;
  out.linear = wallScheme == "bouzidi" || wallScheme == "single-node" ? 1.0 : 0.0;
  out.smoothed = smoothed ? 1.0 : 0.0;
  return out;
}

double wallAreaOf(const TiledGeometry& geometry) {
  const auto& surface = geometry.surface;
  double sum = 0.0;
  for (std::size_t t = 0; t < surface.triangle.size(); ++t) {
    if (preprocess::geometry::isOpening(surface.label[t])) continue;
    const auto& c = surface.triangle[t];
    const Double3 one = cornerOf(surface, c[0]);
    sum += 0.5 * length(cross(cornerOf(surface, c[1]) - one, cornerOf(surface, c[2]) - one));
  }
  if (surface.triangle.empty()) sum = static_cast<double>(geometry.boundaryLocal.size());
  return sum * geometry.frame.spacing * geometry.frame.spacing;
}

bool isSmoothed(std::span<const stage::Provenance> history) {
  for (const stage::Provenance& step : history)
    for (const auto& [name, value] : step.options)
      if (step.program == "tessera-preprocess" && name == "smooth") return value == "true";
  return false;
}

double resolutionError(ErrorOf number, const Resolution& r) {
  const Scaling& of = scalings[static_cast<std::size_t>(number)];
  return (of.wall + of.inertia * r.gridReynolds) / (r.across * r.across) + of.edges * r.edges +
         of.ends * r.ends +
         (of.halfway * r.staircase + of.linear * r.linear + of.smoothed * r.smoothed) / r.across +
         of.stokes * r.stokes;
}

double machError(double largestMach) {
  return machSquared * largestMach * largestMach;
}

double roundingError(std::string_view variant) {
  const std::string words = " " + std::string(variant) + " ";
  const auto has = [&](const char* word) { return words.find(word) != std::string::npos; };
  if (has(" f16")) return 3e-2;
  if (has(" m32/16 ")) return 1e-3;
  return has(" f64 ") ? 1e-6 : 2e-5;  // the fields are stored in f32
}

}  // namespace tessera::tiler::analysis
