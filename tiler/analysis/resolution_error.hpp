// SPDX-License-Identifier: GPL-3.0-or-later
// Errors that a run is expected to have, by known scalings: of the resolution and the walls, the
// Mach number and the precision. Bounds that nine of ten runs keep, calibrated by the trials of
// tests/accuracy/bars.sh; before a run for its plan, after it for its results.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pipelines/stage/io/provenance.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::analysis {

// Numbers that the error by resolution follows from.
struct Resolution {
  double across = 1.0;        // nodes across the narrowest section
  double gridReynolds = 0.0;  // Re_h = u h / nu of the largest velocity
  double edges = 0.0;         // share of the wall within a spacing of sharp edges
  double ends = 0.0;          // the same of the openings' rims, for voxels
  double staircase = 0.0;     // share of halfway walls that are oblique to the axes, or of links
                              // that do not end halfway
  double linear = 0.0;        // 1: walls by linear interpolation
  double smoothed = 0.0;      // 1: a surface of smoothed voxels
  double stokes = 0.0;        // 1 / d^2, d the Stokes layer in spacings; 0: steady
};

// wallScheme: word of [solver] walls; empty: halfway for voxels only. wallArea: m2. The grid
// Reynolds number and the Stokes layer are left at 0. Whole geometries only.
Resolution resolutionOf(const TiledGeometry& geometry, std::string_view wallScheme, double wallArea,
                        bool smoothed);

// Area of the surface's walls, or of the faces of voxels roughly: a spacing squared for each
// boundary node; m2.
double wallAreaOf(const TiledGeometry& geometry);

// Whether tessera-preprocess made the surface of voxels.
bool isSmoothed(std::span<const stage::Provenance> history);

// Pressure drop, flow rate, permeability; mean of the wall shear; its 95th percentile and above.
enum class ErrorOf : std::uint8_t { Flow, Shear, HighShear };

double resolutionError(ErrorOf number, const Resolution& resolution);
double machError(double largestMach);
// By the name of the numbers that hold the populations or moments, "f64", "f32", "f16/f32",
// "m32/16", alone or among the words of a variant.
double roundingError(std::string_view variant);

}  // namespace tessera::tiler::analysis
