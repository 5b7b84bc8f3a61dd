// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU as a target of the driver: passes are recorded as graphs where the same memory is read and
// written every second pass, and phases overlap in several streams:
//
//   one rank, two copies      all phases in the main stream; openings and walls may go in the side
//                             stream, with the tiles that they read or write (Overlap)
//   several ranks             border tiles, the exchange and the tiles of other ranks follow each
//                             other in the halo's stream, interior tiles in the main one. The two
//                             start together, so that one fills the device where the other ends,
//                             and the interior waits for no other rank, but where moments exchange
//                             separate nodes between two steps before all tiles. Either writes what
//                             was read a step before, but for border tiles, packed in the halo's
//                             stream, and tiles of other ranks, which the border alone reads
//   in-place update           chunks in two streams; the halo begins behind the chunks that hold
//                             the border, and tiles of other ranks are put in place while the last
//                             two chunks run (gpu/state.cuh)
//
// Without graphs the main stream is the default stream, with which chunks are ordered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "solver/backend/driver.hpp"
#include "solver/backend/gpu/device_ranks.hpp"
#include "solver/backend/gpu/graphs.cuh"
#include "solver/backend/gpu/queues.cuh"
#include "solver/backend/gpu/sampling.cuh"

namespace tessera::solver::backend {

// Openings and walls in the side stream: their kernels mostly wait for memory, and take a third of
// the time of a step of half a million nodes. Beside a kernel that fills the bandwidth each of
// their reads waits three times as long.
enum class Overlap {
  None,
  OpeningTiles,   // with the tiles at openings, which slots put last (Lane::Boundaries)
  BoundaryTiles,  // with walls and the tiles at both, once all tiles of the pass before are stepped
  SeparateNodes   // with all tiles: moments, whose nodes at openings and walls no tile stores
};

class Gpu {
 public:
  using Queue = StreamHandle;
  using Sampling = GpuSampling;
  // Destroyed first: aborts exchanges that other ranks may never complete.
  struct Guard : AbortedFirst {
    explicit Guard(const Gpu& gpu) : AbortedFirst(gpu.ranks()) {}
  };

  explicit Gpu(const domain::Domain& domain)
      : ranks_(deviceRanks(*domain.ranks)), graphs_(domain.window.shift == 0 && ranks_ == nullptr) {
    if (ranks_ != nullptr) halo_.emplace();
    if (domain.window.shift != 0) chunks_.emplace();
  }

  // Partner of a scheme in the halo exchange.
  [[nodiscard]] const Gpu& exchange() const { return *this; }
  // Null for a single rank.
  [[nodiscard]] DeviceRanks* ranks() const { return ranks_.get(); }
  [[nodiscard]] bool recordsGraphs() const { return graphs_; }
  [[nodiscard]] StreamHandle main() const { return graphs_ ? main_.get() : defaultStream; }
  void overlap(Overlap overlap) { overlap_ = overlap; }
  void finish() const { finishGpu("step"); }

  template <class Scheme, class Steps>
  void repeat(std::uint64_t steps, Scheme& scheme, const Steps& make) {
    // Kernels must have been launched once before they are recorded.
    bool record = graphs_ && launched_ && !scheme.firstPassDiffers();
    for (std::uint64_t done = 0; done < steps;) {
      const std::uint64_t count = nextSteps(steps - done, scheme.stepsPerPass(), record);
      if (scheme.isDriven()) scheme.selectValues(done, count, main());
      if (record && count > scheme.stepsPerPass())
        recorded_.launch(count, scheme.state().now(), main(), make);
      else
        make(count);
      done += count;
      launched_ = true;
      record = graphs_;
    }
  }

  void beginSequence() {
    if (sharesTiles()) {
      side_.markMain(main());
      side_.waitForMain();
    }
    firstPass_ = true;
  }
  void beginPass(bool boundaries) {
    if (halo_ && boundaries) halo_->holdBackForWhole();
  }
  StreamHandle beginBoundaries() {
    if (overlap_ == Overlap::None) return main();
    if (overlap_ == Overlap::SeparateNodes) {
      side_.markMain(main());
      side_.waitForMain();
    }
    if (overlap_ == Overlap::BoundaryTiles) joinParts();
    return side_.get();
  }
  void endBoundaries() {
    if (overlap_ == Overlap::SeparateNodes) side_.mark();
    if (overlap_ == Overlap::OpeningTiles) joinParts();
    firstPass_ = false;
  }
  StreamHandle begin(const PassPart& part) {
    if (part.lane == Lane::Window) return chunks_->begin();
    if (part.lane == Lane::Boundaries) return side_.get();
    if (part.lane == Lane::Main) return main();
    halo_->afterSteps();
    return halo_->get();
  }
  void end(const PassPart& part) {
    if (part.lane == Lane::Window) chunks_->end();
    if (part.lane == Lane::Boundaries) side_.mark();
    if (part.lane == Lane::Main && sharesTiles()) side_.markMain(main());
  }
  StreamHandle beginBorder() {
    if (chunks_) chunks_->holdBack(halo_->get(), 0);
    return halo_->get();
  }
  void endBorder() {
    if (!chunks_) halo_->markBorder();
  }
  // Work of the main stream after the interior follows the border too: blocks of the border
  // may hold tiles behind it.
  void endTiles() {
    if (halo_ && !chunks_) halo_->holdBackForBorder();
    if (overlap_ == Overlap::SeparateNodes) side_.holdBack(main());
  }
  void endSequence() {
    if (sharesTiles()) side_.holdBack(main());
  }
  void endSteps() {
    if (halo_) halo_->holdBackForWhole();
  }

  // For the exchange: its stream, and what precedes and follows the tiles of other ranks there.
  [[nodiscard]] const HaloStream& halo() const { return *halo_; }
  void beginUnpack() const {
    if (chunks_) chunks_->holdBack(halo_->get(), 2);
  }
  void endUnpack() const {
    halo_->markWhole();
    if (chunks_) chunks_->waitFor(halo_->whole());
  }

 private:
  // Whether tiles are stepped in the side stream.
  [[nodiscard]] bool sharesTiles() const {
    return overlap_ == Overlap::OpeningTiles || overlap_ == Overlap::BoundaryTiles;
  }
  // Both parts of a pass read what both of the one before wrote.
  void joinParts() const {
    if (firstPass_) return;
    side_.waitForMain();
    side_.holdBack(main());
  }
  [[nodiscard]] std::uint64_t nextSteps(std::uint64_t left, std::uint64_t perPass,
                                        bool record) const {
    if (!graphs_) return std::min(left, mostGraphSteps / perPass * perPass);
    return record ? StepGraphs::nextSteps(left, perPass) : std::min(left, perPass);
  }

  std::unique_ptr<DeviceRanks> ranks_;
  bool graphs_;
  bool launched_ = false;
  bool firstPass_ = true;  // of a sequence
  Overlap overlap_ = Overlap::None;
  DeviceStream main_;
  SideStream side_;
  std::optional<HaloStream> halo_;
  std::optional<ChunkStreams> chunks_;
  StepGraphs recorded_;
};

}  // namespace tessera::solver::backend
