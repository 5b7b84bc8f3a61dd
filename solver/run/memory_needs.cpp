// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/memory_needs.hpp"

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "solver/backend/cpu/accumulator.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/boundary/opening_force.hpp"
#include "solver/domain/separate_nodes.hpp"
#include "solver/run/linear_moments.hpp"

namespace tessera::solver::run {

std::uint64_t stateBytes(const Setup& setup) {
  static_assert(sizeof(boundary::IncomingLink) == stage::openingLinkBytes &&
                sizeof(boundary::PopulationCopy) == stage::copyBytes &&
                sizeof(boundary::WallLink) == stage::wallLinkBytes &&
                sizeof(decltype(boundary::Walls::farSlots)::value_type) == stage::wallFarBytes &&
                sizeof(boundary::WallNode) + 2 * sizeof(double) == stage::wallNodeBytes &&
                sizeof(boundary::PopulationPair) == stage::copyBytes &&
                sizeof(boundary::WallForceNode) == stage::forceNodeBytes &&
                3 * sizeof(std::int32_t) == stage::forceTileBytes &&
                sizeof(boundary::OpeningForceLink) + 2 * sizeof(boundary::LinkSample) ==
                    stage::openingForceBytes &&
                4 * model::neighbourStride == stage::neighbourBytes);
  const tiles::TileOrder& order = setup.order;
  stage::StateCounts counts;
  counts.slots = static_cast<double>(order.slotsOfTiles()) + order.ghosts;
  counts.velocities = setup.variant->storedWords;
  counts.tiles = order.tiles;
  if (setup.copies == 1)  // counted as two copies of half as many
    counts.slots = 0.5 * (counts.slots + setup.window.shift);
  counts.maskedTiles = static_cast<double>(order.masks.size()) / tiler::tileNodes;
  counts.openingLinks = static_cast<double>(order.openingLinks.size());
  counts.copies = static_cast<double>(order.copies.size() + setup.walls.mirrored.size());
  counts.wallLinks = static_cast<double>(setup.walls.links.size());
  counts.wallNumbers = setup.walls.remembers ? 3.0 : 1.0;
  counts.wallExtraBytes =
      8.0 * static_cast<double>(setup.walls.push.size() + setup.walls.mass.expected.size());
  counts.wallFars = static_cast<double>(setup.walls.farSlots.size());
  counts.wallNodes = static_cast<double>(setup.walls.mass.nodes.size());
  counts.wallNears = static_cast<double>(setup.walls.mass.near.size());
  counts.forceNodes = static_cast<double>(setup.boundaryNodes);
  counts.columnBytes = setup.columnBytes;
  if (setup.variant->storesMoments()) {
    const double wallNodes = setup.walls.mass.nodes.empty() ? counts.wallLinks : counts.wallNodes;
    counts.separateBytes = domain::separateNodeBytes(
        {wallNodes + counts.openingLinks, static_cast<double>(setup.tiles.nodes()), counts.tiles,
         setup.mayStepTwice() && setup.stepsInPass != 1, setup.copies == 1},
        0.5 * setup.variant->bytesPerNode());
  }
  const double means = setup.cycles.steps > 0
                           ? backend::accumulatorBytes(order.tiles, setup.wallPoints.points.size())
                           : 0.0;
  return static_cast<std::uint64_t>(
      stage::stateBytes(counts, static_cast<double>(setup.variant->storageBytes)) + means);
}

namespace {

// Bytes of a tile of the state in a checkpoint, and of a tile of the sums of means.
double savedTileBytes(const Setup& setup) {
  return stage::checkpointBytes(1.0,
                                double(setup.variant->storedWords) * setup.variant->storageBytes);
}
// Bytes of a tile in one of the states that the run may go back to when it diverges.
constexpr std::uint64_t keptTileBytes = sizeof(float) * backend::observedPerSlot;

// Bytes of a tile in the samples of an accelerated march: a state in doubles, changes in floats.
std::uint64_t marchTileBytes(const Setup& setup) {
  constexpr std::uint64_t bytes =
      linearMoments * tiler::tileNodes * (sizeof(double) + file::mostMarchChanges * sizeof(float));
  return setup.accelerated ? bytes : 0;
}

double sumsTileBytes(const Setup& setup) {
  return setup.cycles.steps > 0 ? double(sizeof(float)) * model::meanValues * tiler::tileNodes
                                : 0.0;
}

}  // namespace

std::uint64_t checkpointBytes(const Setup& setup, bool withKept) {
  return static_cast<std::uint64_t>(setup.order.tiles * savedTileBytes(setup)) +
         bytesBesidesState(setup, withKept);
}

std::uint64_t keptBytes(const Setup& setup) {
  return setup.run.keepEvery > 0 ? file::mostKept * setup.order.tiles * keptTileBytes : 0;
}

std::uint64_t marchBytes(const Setup& setup) {
  return setup.order.tiles * marchTileBytes(setup);
}

std::uint64_t bytesBesidesState(const Setup& setup, bool withKept) {
  const bool alone = setup.ranks->alone();
  const auto size = static_cast<std::uint64_t>(setup.ranks->size());
  // With several ranks each keeps an equal part of the file while it is written.
  const std::uint64_t kept = alone ? 0 : (setup.part.tilesOfAll + size - 1) / size;
  const double walls =
      setup.walls.remembers ? sizeof(double) * double(setup.walls.links.size()) : 0.0;
  const double wallSums =
      sizeof(decltype(backend::Sums::wall)::value_type) * double(setup.wallPoints.points.size());
  const double passing = double(stage::ContainerWriter::usualPiece) * (alone ? 2.0 : 8.0);
  return static_cast<std::uint64_t>(setup.order.tiles * sumsTileBytes(setup) +
                                    double(kept) *
                                        (savedTileBytes(setup) + sumsTileBytes(setup) +
                                         (withKept ? double(file::mostKept) * keptTileBytes : 0.0) +
                                         double(marchTileBytes(setup))) +
                                    walls + wallSums + passing);
}

std::uint64_t resultBytes(const Setup& setup) {
  const double means = setup.cycles.steps > 0 ? sizeof(float) * model::meanValues : 0.0;
  const double perNode = double(sizeof(float)) * backend::observedValues + means;
  return static_cast<std::uint64_t>(double(setup.tiles.nodes()) * perNode +
                                    setup.order.tiles * sumsTileBytes(setup));
}

void checkMemory(const Setup& setup, bool checkpoints) {
  const bool cuda = setup.backend == BackendKind::Cuda;
  // Ranks on a host share its memory; each has its own device.
  const auto state = static_cast<std::int64_t>(stateBytes(setup));
  std::int64_t onHost = 0;
  if (checkpoints) onHost += static_cast<std::int64_t>(checkpointBytes(setup) + resultBytes(setup));
  if (!cuda) onHost += state;
  setup.ranks->sumOnHost({&onHost, 1});
  if (cuda)
    stage::requireMemory(static_cast<double>(onHost), "what checkpoints and fields are written of",
                         "use a coarser spacing or a machine with more memory");
  const std::int64_t needed = cuda ? state : onHost;
  const auto device = cuda ? backend::findDevice() : std::nullopt;
  const std::uint64_t there = device ? device->freeBytes : stage::availableMemory();
  if (needed <= static_cast<std::int64_t>(there)) return;
  stage::fail(stage::ExitCode::NoResource,
              "the run needs " + stage::formatBytes(double(needed)) + " of " +
                  (cuda ? device->name + " memory" : "memory") + " but " +
                  stage::formatBytes(double(there)) + " are free; use a coarser spacing" +
                  (setup.variant->storageBytes > 4 ? ", --precision f32"
                   : setup.variant->storesMoments() &&
                           setup.variant->axes.precision == model::PrecisionId::F32
                       ? ", --precision m32/16"
                       : "") +
                  " or a machine with more memory");
}

namespace {

// Throws when that many bytes leave too little memory for checkpoints and fields.
void checkMemoryBesides(const Setup& setup, std::uint64_t bytes, const std::string& what) {
  auto onHost =
      static_cast<std::int64_t>(bytes + checkpointBytes(setup, true) + resultBytes(setup));
  setup.ranks->sumOnHost({&onHost, 1});
  stage::together(*setup.ranks, [&] {
    stage::requireMemory(double(onHost), what + ", besides checkpoints and fields,",
                         "use a coarser spacing or a machine with more memory");
  });
}

}  // namespace

void checkMemoryToKeep(const Setup& setup, std::size_t states) {
  checkMemoryBesides(setup, states * setup.order.tiles * keptTileBytes,
                     "what a run goes back to when it diverges");
}

void checkMemoryToMarch(const Setup& setup) {
  checkMemoryBesides(setup, marchBytes(setup), "an accelerated march to the steady state");
}

}  // namespace tessera::solver::run
