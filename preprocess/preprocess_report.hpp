// SPDX-License-Identifier: GPL-3.0-or-later
// Report of preprocess: text for people on stdout, JSON for scripts (keys of the contract).
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/thinnest_channel.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess {

// Connectivity of the fluid.
struct Connectivity {
  std::uint64_t parts = 0;
  std::vector<int> partOfOpening;  // from 1, of openings that are connected the same
  // See components.hpp; absent without openings and periodic axes.
  std::optional<std::uint64_t> effectiveNodes;
  std::optional<std::uint64_t> deadNodes;
  std::vector<std::string> withoutPath;           // names of openings without a path to another
  std::array<std::optional<bool>, 3> percolates;  // of axes that are periodic or open on both ends
};

// Fluid that is not connected to an opening (without openings: to the largest part).
struct DeadVolume {
  std::uint64_t nodes = 0;
  std::uint64_t parts = 0;
  bool isSolid = false;  // made solid by --keep connected; else kept
};

// An end that is wall since the lattice does not resolve it.
struct ClosedOpening {
  geometry::Opening opening;  // as it was found, with its id for --close
  double nodesAcross = 0.0;
  double spacing = 0.0;  // m, that resolves it
};

struct PreprocessReport {
  Int3 nodes{0, 0, 0};
  double spacing = 0.0;          // m
  std::string space;             // anatomical space, see Frame
  std::string lengthUnit = "m";  // of the input's coordinates
  std::uint64_t fluidNodes = 0;
  double volumeVoxels = 0.0;  // m3
  // Wall links between two fluid nodes, where a sheet crosses the link, a solid is thinner than it
  // or two vessels are closer; surfaces.
  std::uint64_t wallLinks = 0;  // links that end on walls, counted at each fluid node
  std::uint64_t cutLinks = 0;
  // Relative difference between the voxelised volume (overlaps counted repeatedly, before removal
  // of parts) and that of the mesh; within volumeTolerance in regular cases.
  std::optional<double> volumeError;
  std::optional<DeadVolume> dead;    // of surfaces; of images with --keep connected
  std::optional<double> volumeMesh;  // m3; absent for images, as is the area
  std::optional<double> areaMesh;    // m2
  std::vector<geometry::Opening> openings;
  std::vector<surface::CapOrigin> openingOrigins;  // of each opening; empty for images
  std::vector<int> idsToClose;                     // of each opening, for --close; empty for images
  std::vector<ClosedOpening> closed;               // side branches that became wall
  std::vector<surface::OpeningCandidate> candidates;  // not taken as openings, numbered from 1
  std::vector<surface::Sheet> sheets;                 // walls with fluid on both sides
  std::vector<double> extensions;                     // m, of each opening's tube; empty: no tubes
  std::vector<std::pair<std::string, std::uint64_t>> repairs;
  std::vector<std::string> warnings;
  // Connected parts that hold fluid, overlapping ones as one; of surfaces without periodic axes.
  std::optional<std::uint64_t> meshParts;
  std::optional<std::uint64_t> latticeParts;  // connected parts of the lattice; of surfaces
  std::optional<Connectivity> connectivity;
  std::optional<lattice::ThinnestChannel> thinnest;  // absent if no opening has a path to another
  int dimensions = 3;
  std::vector<geometry::Throat> throats;        // by ascending area
  std::vector<double> narrowestPassages;        // m2, of each throat
  std::string throatsNotSearched;               // the reason why some or all are missing, or empty
  std::optional<surface::WrapFacts> wrap;       // with --wrap
  std::optional<surface::HealthReport> health;  // absent for images
  std::vector<std::filesystem::path> parts;     // further files that belong to the inputs
  std::vector<std::filesystem::path> slices;    // files of the series that was chosen

  [[nodiscard]] double porosity() const;  // fluid nodes over nodes of the box
};

constexpr double volumeTolerance = 0.02;
constexpr double volumeNonsense = 0.5;  // above, the lattice does not represent the surface

// Nodes not connected to any opening, made solid or kept.
std::optional<std::uint64_t> deadNodes(const PreprocessReport& report);

// Sets sizes and openings; volumes, repairs and warnings are set by the caller.
void describeLattice(const geometry::LatticeGeometry& geometry, PreprocessReport& report);

// Measures the thinnest channel, which requires the links. cuts: links between fluid nodes that are
// walls.
void describeThinnest(const geometry::LatticeGeometry& geometry,
                      std::span<const lattice::CutNode> cuts, PreprocessReport& report);

// Finds the throats, which requires links and surface, for the geometry and the report, or says why
// none are searched.
void describeThroats(geometry::LatticeGeometry& geometry, std::span<const lattice::CutNode> cuts,
                     PreprocessReport& report);

// Warns of openings, throats and channels that the spacing does not resolve, and proposes one that
// does. After describeThinnest() and describeThroats().
void warnAboutResolution(const geometry::LatticeGeometry& geometry, PreprocessReport& report);

std::string reportJson(const PreprocessReport& report);
std::string summaryText(const PreprocessReport& report);
// Openings with number, name, size and place, then candidates and ends that are not resolved.
std::string openingsText(const PreprocessReport& report);

// "clean", "repaired", "wrapped" or "usable with warnings": warnings take precedence over repairs;
// capped openings are not repairs. Uncounted self-intersections are not a warning; the summary
// mentions them after the verdict.
std::string verdictOf(const PreprocessReport& report);

// Health of the surface if available, repairs and verdict as text. Requires the spacing.
std::string healthSummary(const PreprocessReport& report);

// "34.3 x 84.0 x 22.9 mm" from an extent in metres.
std::string formatExtent(const Double3& extent);

// "(1.2, 3.4, 5.6) mm" from metres; 0 for less than half a nanometre.
inline std::string placeText(const Double3& point) {
  const auto tidy = [&](std::size_t a) {
    return std::abs(point[a]) < 5e-10 ? 0.0 : 1e3 * point[a];
  };
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) mm", tidy(0), tidy(1), tidy(2));
}

// Duration of each phase for --verbose.

class PhaseLog {
 public:
  // Logs the time since the previous phase.
  void done(const char* phase) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    stage::logDetail(fmt::format("{:<12} {:.3f} s", phase, seconds));
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::preprocess
