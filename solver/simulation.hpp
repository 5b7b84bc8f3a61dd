// SPDX-License-Identifier: GPL-3.0-or-later
// A run: geometry, case and variant put together, advanced until a stop rule says so.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "solver/accumulate/accumulator.hpp"
#include "solver/backend/cpu/halo.hpp"
#include "solver/boundary/plan_walls.hpp"
#include "solver/boundary/time_series.hpp"
#include "solver/checkpoint_writer.hpp"
#include "solver/cycles.hpp"
#include "solver/divergence.hpp"
#include "solver/domain/build.hpp"
#include "solver/fields_file.hpp"
#include "solver/monitor.hpp"
#include "solver/registry.hpp"
#include "solver/stop_requests.hpp"
#include "tiler/tiles_file.hpp"

namespace tessera {

enum class BackendKind { Cpu, Cuda };

// auto: CUDA when there is a device. Throws StageError(NoResource) for cuda without one.
BackendKind chooseBackend(const std::string& name, const VariantInfo& variant);

// Everything a run needs but the populations themselves; cheap enough for --plan.
struct Setup {
  SolverCase run;
  LatticeRun lattice;
  const VariantInfo* variant = nullptr;
  BackendKind backend = BackendKind::Cpu;
  int copies = 2;      // of the state
  StateWindow window;  // of one copy
  TileOrder order;
  Walls walls;
  std::uint64_t rampSteps = 0;
  std::uint64_t fieldsEvery = 0;  // steps between files of fields on the way; 0: none
  CyclePlan cycles;               // of a pulsatile run
  WallPoints wallPoints;          // of a pulsatile run
  Ranks* ranks = &noOthers();
  RankPart part;            // of the geometry, where there are several ranks
  std::uint64_t nodes = 0;  // that are not solid, of the tiles stepped here
};

// geometry: the part of the rank that calls this. Collective.
Setup prepare(const TiledGeometry& geometry, SolverCase run, const std::string& backend,
              Ranks& ranks = noOthers(), RankPart part = {});

// Hash of what drives the flow: a run may be resumed with another stop rule, not with another
// physics.
std::string physicsHash(const Setup& setup);

// Bytes on the device (CUDA) or in memory (CPU): two copies of the populations, rows, masks.
std::uint64_t stateBytes(const Setup& setup);
// Bytes in memory of the copy of the state that a checkpoint is written of, and what it takes
// beside that while it is written.
std::uint64_t checkpointBytes(const Setup& setup);
// The latter: sums of means, memory of walls, of several ranks the part of the file that this one
// writes, and what passes through.
std::uint64_t besideCopyBytes(const Setup& setup);
// Bytes in memory of the fields that are made at the end, or on the way.
std::uint64_t resultBytes(const Setup& setup);
// Throws StageError(NoResource) when the state, or with checkpoints all of these, of all ranks on
// this host, are more than there is. Collective.
void checkMemory(const Setup& setup, bool checkpoints = true);

struct RunResult {
  std::uint64_t step = 0;  // of the fields
  double seconds = 0.0;    // of stepping, monitors included
  double mflups = 0.0;
  double bandwidthFraction = 0.0;  // of the copy bandwidth measured in this run
  double watchFraction = 0.0;      // of the time, for the looks at the state, monitors included
  bool converged = false;
  double change = 1.0;                  // of the monitored quantities at the last sample, relative
  std::optional<double> errorEstimate;  // how far they are from their limit, SteadyRule
  std::uint64_t cycles = 0;             // completed, of a pulsatile run
  double cycleChange = 1.0;             // between the last two, relative
  bool stopped = false;                 // asked to stop: a checkpoint was written, no fields
  std::string stoppedBy;                // by what: StopRequests::reason
  double checkpointBlocked = 0.0;       // s; longest that the run waited for a checkpoint
  MonitorSample last;
  MonitorTable monitor;
};

struct RunFiles {
  std::filesystem::path monitor;
  std::filesystem::path checkpoint;
  // What files of fields are called, without .fields or .NNNN.fields, and what they say of inputs.
  std::filesystem::path stem{};
  std::string tilesName{};
  std::string caseText{};
  std::filesystem::path fields{};  // of the end; empty: none
  // Of rank 0, to keep other runs off until the results are written; null: while it steps.
  std::shared_ptr<const OpenMonitor> openMonitor{};
};

class Simulation {
 public:
  Simulation(const TilesFile& tiles, Setup setup);

  // Runs to the end and writes files.fields (run.cpp). stop: looked at every second or step,
  // whichever is longer. Throws StageError(RunFailed) when the run diverges (no checkpoint is
  // overwritten then) or does not converge as required, OutputFailed when it was asked to stop and
  // its checkpoint could not be written; before the first step NoResource without the memory for a
  // checkpoint. Where there is no room for the fields (OutputFailed, NoResource) one is kept.
  RunResult run(const RunFiles& files, bool resume, const StopRequests& stop,
                const Provenance& provenance);

  // Moments of every non-solid node of the tiles that are stepped here, in the order of the .tiles
  // file; the meta data of the run. Collective. Throws StageError(RunFailed), on all ranks, for
  // values that are not numbers.
  Fields fields(const RunResult& result);

  // The same with all that the file holds besides.
  Fields fields(const RunResult& result, const RunFiles& files, const MonitorTable& monitor,
                const Provenance& provenance);
  // To one file, by all ranks together. Throws as writeFieldsFile, on all ranks.
  void writeFields(const std::filesystem::path& path, const Fields& fields) const;

  // Starts from the velocity-free rest state unless one of these two says otherwise. Fields: of
  // another run on the same geometry (checkInitialFields).
  void startFrom(const Fields& fields);
  // Post-collision deviations in file order, q x 64 a tile.
  void setPopulations(std::span<const double> inFileOrder);
  // Of a state of moments: rebuilt from them; setting them keeps what moments can hold.
  std::vector<double> populations();
  // What is stored, in file order, VariantInfo::stateValues x 64 a tile.
  void setState(std::span<const double> inFileOrder);
  // Of the tiles that are stepped here.
  std::vector<double> state();
  // The same tile by tile, so that a large state is never all doubles: fill(tile of the file, its
  // values) and visit(tile, its values, 0 of solid nodes) are called by many threads and must not
  // throw.
  void setState(const std::function<void(std::size_t, std::span<double>)>& fill);
  void visitState(const std::function<void(std::size_t, std::span<const double>)>& visit);
  // For measurements; made where the state lies, see Backend.
  void setNoise() {
    backend_->setRandomState();
    backend_->exchangeHalo();
  }

  void advance(std::uint64_t steps);
  // Once more what the last step exchanged already: what it takes is what steps hide.
  void exchangeHalo() { backend_->exchangeHalo(); }
  void finish() { backend_->finish(); }
  MonitorSample sample();
  // The same in two parts: steps may follow before it is ended, the sample is that of before them.
  void beginSample();
  MonitorSample endSample();
  // That steps waited for the last sample, s.
  [[nodiscard]] double sampleSeconds() const { return sampleSeconds_; }
  // States of outlets as of the last step or sample, lattice units.
  OutletReport outlets() { return backend_->outlets(); }
  double copyBandwidth() { return backend_->copyBandwidth(); }
  [[nodiscard]] const Setup& setup() const { return setup_; }

 private:
  class Loop;
  // Pa that lattice pressure 0 stands for, as of the last sample.
  [[nodiscard]] double referenceNow() const;
  // coupled: OutletReport::reference.
  [[nodiscard]] double referenceOf(std::uint64_t step, double coupled) const;
  // Of the state as it is, by observing it.
  BrokenPlace findBrokenPlace();
  // visit(tile, first value of its 10 x 64) for all tiles.
  template <class Visit>
  void observe(Visit&& visit);
  // Non-solid nodes of the tiles that are stepped here, in the order of the file.
  struct OwnNodes {
    std::vector<std::uint64_t> first;   // by tile of the geometry
    std::vector<std::uint32_t> ofTile;  // by own tile
    std::uint64_t count = 0;
  };
  [[nodiscard]] OwnNodes ownNodes() const;
  // Of the tiles that are stepped here, as they lie in memory.
  [[nodiscard]] TileLayout stateLayout() const;
  void findOwnTiles();
  void findPlaces();
  [[nodiscard]] CheckpointWriter checkpointWriter(const std::filesystem::path& path,
                                                  const Provenance& provenance) const;
  [[nodiscard]] std::optional<Checkpoint> newestCheckpoint(const std::filesystem::path& path) const;
  // Of all links, of those here.
  std::vector<LinkSample> samplesOfAll(const std::vector<LinkSample>& own);
  // By tiles that are stepped here, in the order of the file.
  [[nodiscard]] std::vector<std::uint32_t> countByTile(
      const std::vector<std::uint32_t>& slots) const;
  [[nodiscard]] std::vector<std::uint32_t> wallLinksByTile() const;
  [[nodiscard]] std::vector<std::uint32_t> wallPointsByTile() const;
  [[nodiscard]] std::vector<std::uint32_t> tileOfSlot() const;
  // What must match when it is resumed, and no more.
  [[nodiscard]] Checkpoint checkpointOfRun() const;
  // All but the state, of now.
  Checkpoint checkpoint(const MonitorTable& monitor, std::vector<double> cycles);
  // Sums over the recorded cycle (means.cpp): from nothing, of the state as it is, so far.
  void startMeans();
  void addToMeans();
  void meansToFields(std::uint64_t lastStep, Fields& fields);
  [[nodiscard]] CycleState meansState();
  // Takes the sums out of it.
  void restoreMeans(const std::filesystem::path& path, CycleState& state);
  // Of all slots, with what wall points need of other ranks' tiles.
  const float* observedAll();
  void setWallMemory(const std::filesystem::path& path, const std::vector<double>& memory);
  std::optional<Checkpoint> resumeFrom(const std::filesystem::path& path);
  // Of outlets with a state of their own, Checkpoint::outlets.
  std::vector<double> outletMemory();
  void setOutletMemory(const std::filesystem::path& path, const std::vector<double>& values);
  void describe(const RunResult& result, Fields& fields) const;

  const TilesFile& tiles_;
  Setup setup_;
  Ranks& ranks_;
  std::vector<std::uint32_t> ownTiles_;  // of the geometry
  // Of several ranks, by tile that is stepped here: its slot, the types of its nodes, and where it
  // and what it has lie in files.
  std::vector<std::uint32_t> ownSlots_;
  std::vector<std::uint8_t> ownTypes_;
  struct OwnPlaces {
    Places tiles;
    Places nodes;
    OwnOfCheckpoint ofCheckpoint;
  };
  OwnPlaces places_;
  std::vector<double> areas_;
  OpeningSeries drive_;
  bool coupled_;  // some openings' pressure follows from their flow rate
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Accumulator> accumulator_;  // while a cycle is recorded
  HaloPlan observedPlan_;                     // of several ranks: what wall points need
  std::vector<float> observed_;
  std::optional<CpuHalo<float>> observedHalo_;
  std::uint64_t meanSamples_ = 0;
  double meanReference_ = 0.0;  // Pa, sum
  std::uint64_t step_ = 0;
  std::uint64_t sampledStep_ = 0;
  double sampleSeconds_ = 0.0;
};

}  // namespace tessera
