// SPDX-License-Identifier: GPL-3.0-or-later
// run.ckpt: the state of a run as it is stored, so nothing is lost, in the order of the .tiles file
// (whatever order the solver stepped in), and what must match when it is resumed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/system/large_array.hpp"
#include "solver/file/march_state.hpp"
#include "solver/file/tile_section.hpp"

namespace tessera::solver::file {

// State of a pulsatile run: its progress in cycles, and the sums over the recorded one.
struct CycleState {
  std::vector<double> cycles;               // Cycles::state
  std::uint64_t samples = 0;                // in the sums below
  double pressureReference = 0.0;           // Pa, sum of
  std::vector<float> nodes;                 // Sums::nodes, by slot
  std::vector<std::array<double, 4>> wall;  // Sums::wall
};

// A state that a run may go back to: macroscopic fields, from which a state with another time step
// or lattice is made.
struct KeptState {
  std::uint64_t step = 0;
  std::uint64_t refinement = 1;   // steps for each of the case's own
  std::uint64_t monitorRows = 0;  // rows of the monitor then
  std::vector<double> outlets{};  // as Checkpoint::outlets
  std::vector<double> cycles{};   // as CycleState::cycles, without means
  // r, u, stress of the step that follows, lattice units: backend::observedValues x 64 floats for
  // each tile in the order of the file. Never null.
  std::shared_ptr<const stage::LargeArray<float>> nodes{};
};

// A recovery from divergence: the state it went back to, and how the run continued.
struct Recovery {
  std::uint64_t divergedAt = 0;  // steps of the time step before
  double time = 0.0;             // s, of the state it went back to
  std::uint64_t step = 0;        // of that state, in the time steps that followed
  double timeStep = 0.0;         // s, that followed
  std::uint64_t refinement = 1;  // of it: steps for each of the case's own
  std::string variant{};         // that followed
  std::string reason{};
  bool operator==(const Recovery&) const = default;
};

// tau, timeStep, variant and physics: before any recovery.
struct Checkpoint {
  std::string tilesHash;
  std::string variant;  // VariantInfo::name
  std::string physics;  // hash of what drives the flow (run/physics.hpp)
  double tau = 0.0;
  double timeStep = 0.0;  // s
  std::uint64_t step = 0;
  std::vector<double> monitorRows{};
  // For each Windkessel or resistance: OutletState::capacitor and mean.
  std::vector<double> outlets{};
  std::vector<double> walls{};  // StateStore::wallMemory
  // Force and torque on each wall and opening at this step, SI; empty where the monitor has none
  // (version 1.0).
  std::vector<double> forces{};
  CycleState cycles{};
  std::vector<Recovery> recoveries{};
  std::vector<KeptState> kept{};  // at most two, oldest first
  std::string olderPhysics{};     // not stored: that hash by version 0.1, which is resumed as well
  MarchState march{};
  // Set by reading:
  std::string contentHash{};  // of its file
  std::string build{};        // instruction set and compiler that made it
  std::string
      otherThanExpected{};  // the part that belongs to another run; if set only the above is read
  // It has other recoveries than expected, on which its layout depends: the same.
  bool otherRecoveries = false;
  // Openings and walls acted by the formulas of version 0.1: physics is olderPhysics of expected.
  bool olderFormulas = false;
  std::vector<std::byte> state{};  // StateStore::savedState
};

// Writes run.ckpt and keeps the previous one as run.ckpt.prev, so that a valid one exists at all
// times. A link run.ckpt is followed for both. state: by slot, as in layout. Throws
// StageError(OutputFailed) and leaves both files unchanged.
void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const stage::Provenance& provenance);

// Offsets of a process's parts of a checkpoint besides its tiles (TileLayout::own): memory of walls
// and wall points of cycles.
struct OwnOfCheckpoint {
  TileOffsets wallLinks{};   // Checkpoint::walls; all = 0: no memory
  TileOffsets wallPoints{};  // CycleState::wall
};

// The same file written by processes together, each with the tiles of layout.own, in steps, for a
// run that goes on meanwhile. Sections without tiles are the first process's.
class CheckpointTogether {
 public:
  // Collective: each process receives the bytes that it will write. state may change afterwards;
  // the checkpoint and the arrays of the layout must outlive this. Throws the same on all.
  CheckpointTogether(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const OwnOfCheckpoint& own, const stage::Provenance& provenance,
                     stage::Processes& processes);
  CheckpointTogether(const CheckpointTogether&) = delete;
  CheckpointTogether& operator=(const CheckpointTogether&) = delete;
  // Without finish() the files stay as they were.
  ~CheckpointTogether();
  // Not collective, on any thread. Errors are thrown by finish().
  void write() noexcept;
  // Collective, after write(). Throws the same on all; both files are then as they were.
  void finish();

 private:
  struct Writing;
  std::unique_ptr<Writing> writing_;
};

// Removes both files of a completed run.
void removeCheckpoints(const std::filesystem::path& path);

// Removes run.ckpt.prev to free space, with a message. False if it does not exist or run.ckpt is
// not valid.
bool giveUpPrevious(const std::filesystem::path& path) noexcept;

// Variant of the newest of path and path.prev that has one; nullopt: none.
std::optional<std::string> newestVariant(const std::filesystem::path& path);

// Reads one file. Throws StageError(BadInput) if it is damaged or not a checkpoint.
Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout);
// One file, this process's tiles and parts.
Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout, const OwnOfCheckpoint& own);

// Largest number of states kept in a checkpoint.
constexpr std::size_t mostKept = 2;

// The newest valid of path and path.prev; nullopt when there is neither. With otherRecoveries it is
// read again, by the layout that follows from them. Damaged ones are reported
// and skipped; path.prev replaces a damaged path. Warns when another instruction set or compiler
// made it: last digits may then differ from those of an uninterrupted run. Throws
// StageError(BadInput), with nothing changed, when one cannot be read, is of a newer format or no
// checkpoint, or a valid one belongs to another geometry, variant (lattice, model, precision),
// physics or time step.
std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout);
// The same by processes together, each its own tiles, whatever number of processes wrote it: valid
// is a file that all of them could read, so all take the same one. The first process reports.
std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout,
                                         const OwnOfCheckpoint& own, stage::Processes& processes);

}  // namespace tessera::solver::file
