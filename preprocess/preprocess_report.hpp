// SPDX-License-Identifier: GPL-3.0-or-later
// What preprocess tells about its result: for a person on stdout, as JSON for scripts (keys of the
// contract).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/thinnest_channel.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess {

// How the fluid hangs together.
struct Connectivity {
  std::uint64_t parts = 0;
  // As in lattice/components.hpp; absent where there is neither opening nor periodic axis.
  std::optional<std::uint64_t> effectiveNodes;
  std::optional<std::uint64_t> deadNodes;
  std::vector<std::string> withoutPath;           // names of openings that lead to no other
  std::array<std::optional<bool>, 3> percolates;  // of axes that are periodic or open on both ends
};

// Fluid that no opening leads to (without openings: beside the largest part).
struct DeadVolume {
  std::uint64_t nodes = 0;
  std::uint64_t parts = 0;
  bool isSolid = false;  // made solid, as --keep connected does; else still there
};

struct PreprocessReport {
  Int3 nodes{0, 0, 0};
  double spacing = 0.0;  // m
  std::string space;     // of the world, as Frame has it
  std::uint64_t fluidNodes = 0;
  double volumeVoxels = 0.0;  // m3
  // Of the voxels before any were dropped, what overlaps counted as often as it is enclosed, less
  // that of the mesh, in parts of it; within volumeTolerance unless something is wrong.
  std::optional<double> volumeError;
  std::optional<DeadVolume> dead;    // of surfaces; of images with --keep connected
  std::optional<double> volumeMesh;  // m3; absent for images, as is the area
  std::optional<double> areaMesh;    // m2
  std::vector<geometry::Opening> openings;
  std::vector<surface::CapOrigin> openingOrigins;  // of each; empty for images
  std::vector<double> extensions;                  // m, of each opening's tube; empty: none has one
  std::vector<std::pair<std::string, std::uint64_t>> repairs;
  std::vector<std::string> warnings;
  std::optional<Connectivity> connectivity;
  std::optional<lattice::ThinnestChannel> thinnest;  // absent where no opening leads to another
  std::optional<surface::HealthReport> health;       // absent for images
  std::vector<std::filesystem::path> parts;  // inputs that were read beside those that were named

  [[nodiscard]] double porosity() const;  // fluid nodes in the box
};

constexpr double volumeTolerance = 0.02;
constexpr double volumeNonsense = 0.5;  // beyond it a lattice shows something else

// Nodes that hang together with no opening: made solid, or left over by the connectivity.
std::optional<std::uint64_t> deadNodes(const PreprocessReport& report);

// Sizes and openings from the geometry; volumes, repairs and warnings are the caller's.
void describeLattice(const geometry::LatticeGeometry& geometry, PreprocessReport& report);

// Measures the thinnest channel, once the links are there, and warns where it is too thin.
void describeThinnest(const geometry::LatticeGeometry& geometry, PreprocessReport& report);

std::string reportJson(const PreprocessReport& report);
std::string summaryText(const PreprocessReport& report);

// "clean", "repaired" or "usable with warnings": warnings count more than repairs, and openings
// that were capped are no repair. Self-intersections that nobody looked for are no warning; the
// summary says so behind the verdict.
std::string verdictOf(const PreprocessReport& report);

// Health of the surface, if there is one, repairs and verdict for a person. The spacing must be
// known.
std::string healthSummary(const PreprocessReport& report);

// "x-1, x-2 and 3 more".
std::string listOfNames(const std::vector<std::string>& names);

// "34.3 x 84.0 x 22.9 mm" of an extent in metres.
std::string formatExtent(const Double3& extent);

}  // namespace tessera::preprocess
