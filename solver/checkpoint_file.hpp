// SPDX-License-Identifier: GPL-3.0-or-later
// run.ckpt: the state of a run, in the order of the .tiles file (whatever order the solver walked
// in) and as it is stored, so nothing is lost, and what must match when it is taken up again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/provenance.hpp"
#include "solver/tile_section.hpp"

namespace tessera {

// Of a pulsatile run: where it is in its cycles, and the sums of the one that is recorded.
struct CycleState {
  std::vector<double> cycles;               // Cycles::state
  std::uint64_t samples = 0;                // in the sums below
  double pressureReference = 0.0;           // Pa, sum of
  std::vector<float> nodes;                 // Sums::nodes, by slot
  std::vector<std::array<double, 4>> wall;  // Sums::wall
};

struct Checkpoint {
  std::string tilesHash;
  std::string variant;  // VariantInfo::name
  std::string physics;  // hash of what drives the flow (run/physics.hpp)
  double tau = 0.0;
  double timeStep = 0.0;  // s
  std::uint64_t step = 0;
  std::vector<double> monitorRows{};
  // Of each Windkessel or resistance: OutletState::capacitor and mean.
  std::vector<double> outlets{};
  std::vector<double> walls{};  // Backend::wallMemory
  CycleState cycles{};
  // Of one that was read:
  std::string contentHash{};        // of its file
  std::string build{};              // instruction set and compiler that made it
  std::string otherThanExpected{};  // what of it is another run's; only the above is read then
  std::vector<std::byte> state{};   // Backend::savedState
};

// Keeps the one before as run.ckpt.prev; at no time is there none that is whole. Where run.ckpt is
// a link both are where it leads. state: by slot, as layout says. Throws StageError(OutputFailed);
// both files are then as they were.
void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const Provenance& provenance);

// What by process, beside the tiles (TileLayout::own), the sections of a checkpoint hold: of the
// own tiles the memory of walls and the wall points of cycles.
struct OwnOfCheckpoint {
  Places wallLinks{};   // Checkpoint::walls; all = 0: they remember nothing
  Places wallPoints{};  // CycleState::wall
};

// The same file by processes together; layout.own says which tiles each has. In steps, for a run
// that goes on meanwhile. What is not by tile is the first process's.
class CheckpointTogether {
 public:
  // By all together. Each gets the bytes that it is to write; state may change afterwards, the
  // checkpoint and what the layout points at stay as long as this. Throws the same on all.
  CheckpointTogether(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const OwnOfCheckpoint& own, const Provenance& provenance,
                     Processes& processes);
  CheckpointTogether(const CheckpointTogether&) = delete;
  CheckpointTogether& operator=(const CheckpointTogether&) = delete;
  // Without finish() the files stay as they were.
  ~CheckpointTogether();
  // By each for itself, on any thread. What goes wrong is thrown by finish().
  void write() noexcept;
  // By all together, after write(). Throws the same on all; both files are then as they were.
  void finish();

 private:
  struct Writing;
  std::unique_ptr<Writing> writing_;
};

// Of a run that is done: nothing is left to resume.
void removeCheckpoints(const std::filesystem::path& path);

// Removes run.ckpt.prev, to make room, and says so. False when it is not there or run.ckpt is not
// whole.
bool giveUpPrevious(const std::filesystem::path& path) noexcept;

// One file. Throws StageError(BadInput) when it is not whole or not a checkpoint.
Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout);
// Of one file what is the process's own.
Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout, const OwnOfCheckpoint& own);

// The newest valid of path and path.prev, saying which were passed over, for damage alone, and why;
// nullopt when there is neither. path.prev takes the place of a damaged path. Warns when another
// instruction set or compiler made it: its own build would go on with other last digits. Throws
// StageError(BadInput), with nothing changed, when one cannot be read, is of a newer format or no
// checkpoint, or a valid one belongs to another geometry, variant (lattice, model, precision),
// physics or time step.
std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout);
// The same by processes together, each its own tiles, whatever number of processes wrote it: valid
// is what all of them could read, so all take the same one. The first process says what is said.
std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout,
                                         const OwnOfCheckpoint& own, Processes& processes);

}  // namespace tessera
