// SPDX-License-Identifier: GPL-3.0-or-later
// Driver of every backend and every storage scheme. Its unit is a pass: one traversal of the tiles,
// which advances the state by one or more time steps. The phases of a pass, in order:
//   boundaries       openings and walls write the populations that the tiles will gather
//   tiles            part by part: tiles that other ranks read first (the border)
//     halo begins    once the border is complete
//   halo finishes    the tiles of other ranks have been received
//   completion       nodes that a scheme steps separately from their tiles are stored
//   state advances   two copies are swapped, a window is shifted, an in-place pattern alternates
// A Scheme defines how the state is stored and updated: its steps per pass, its parts and the work
// of each phase. A Target (CPU or GPU) defines how passes are repeated (a loop; CUDA graphs) and in
// which queue each phase runs, so that phases overlap; the order of calls is the same everywhere.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>

namespace tessera::solver::backend {

// Pass of a sequence. Steps count from the start of the sequence, so a pass uses the boundary
// values selected for steps first .. first + steps - 1. Schemes of several steps per pass apply the
// values of each step inside the pass; the last pass of an odd run is shorter.
struct Pass {
  std::uint64_t first = 0;
  std::uint64_t steps = 1;
};

// The queue of a part of the tiles, for targets that overlap phases.
enum class Lane : std::uint8_t {
  Main,        // after the boundaries
  Boundaries,  // tiles that openings or walls read or write, in the queue of the boundaries
  Border,      // the border, all that other ranks read among it, in the queue of the halo
  Window       // a chunk of an in-place update by a shifted window
};

// Units of work (tiles) that are stepped together.
struct PassPart {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  Lane lane = Lane::Main;
  bool endsBorder = false;      // the halo can begin after this part
  std::uint32_t completed = 0;  // with endsBorder: tiles 0 .. completed - 1 have been stepped
};

struct TileRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// T runs the phases of scheme S. Queue: handle that a phase launches into.
template <class T, class S>
concept PassTarget = requires(T& target, S& scheme, const PassPart& part,
                              void (*steps)(std::uint64_t), typename T::Queue queue) {
  { target.main() } -> std::same_as<typename T::Queue>;
  // Selects boundary values piece by piece and calls steps(count) for each, or replays it.
  target.repeat(std::uint64_t{}, scheme, steps);
  target.beginSequence();
  target.beginPass(bool{});  // whether its boundaries read values received by the halo
  { target.beginBoundaries() } -> std::same_as<typename T::Queue>;
  target.endBoundaries();
  { target.begin(part) } -> std::same_as<typename T::Queue>;
  target.end(part);
  { target.beginBorder() } -> std::same_as<typename T::Queue>;  // completion of the border
  target.endBorder();
  target.endTiles();
  target.endSequence();
  target.endSteps();
};

// S steps a state on target T.
template <class S, class T>
concept PassScheme = requires(S& scheme, const Pass& pass, const PassPart& part, TileRange tiles,
                              std::span<const double> values, typename T::Queue queue) {
  { scheme.stepsPerPass() } -> std::same_as<std::uint64_t>;  // the same in all of a run
  { scheme.hasBoundaries() } -> std::same_as<bool>;          // anything to do before the tiles
  { scheme.isDriven() } -> std::same_as<bool>;               // by values that change with time
  { scheme.firstPassDiffers() } -> std::same_as<bool>;       // until it has been made once
  scheme.loadValues(values, queue);                          // boundary values of all steps
  scheme.selectValues(std::uint64_t{}, std::uint64_t{}, queue);
  scheme.applyBoundaries(pass, queue);
  { *scheme.parts().begin() } -> std::convertible_to<PassPart>;
  scheme.stepTiles(pass, part, queue);
  scheme.completeTiles(pass, tiles, queue);
  { scheme.tiles() } -> std::same_as<std::uint32_t>;
  scheme.state().next();
  scheme.advanceState(pass);
};

template <class Target, class Scheme, class Halo>
requires PassTarget<Target, Scheme> && PassScheme<Scheme, Target>
class Driver {
 public:
  // All three must outlive this.
  Driver(Target& target, Scheme& scheme, Halo& halo)
      : target_(target), scheme_(scheme), halo_(halo) {}

  // values: boundary values of each step, one step after the other.
  void advance(std::uint64_t steps, std::span<const double> values) {
    if (scheme_.isDriven()) scheme_.loadValues(values, target_.main());
    target_.repeat(steps, scheme_, [this](std::uint64_t count) { makeSteps(count); });
    target_.endSteps();
  }

 private:
  // A sequence of passes whose boundary values are selected.
  void makeSteps(std::uint64_t steps) {
    target_.beginSequence();
    for (Pass pass; pass.first < steps; pass.first += pass.steps) {
      pass.steps = std::min(scheme_.stepsPerPass(), steps - pass.first);
      makePass(pass);
    }
    target_.endSequence();
  }

  void makePass(const Pass& pass) {
    target_.beginPass(scheme_.hasBoundaries());
    scheme_.applyBoundaries(pass, target_.beginBoundaries());
    target_.endBoundaries();
    std::uint32_t completed = 0;
    for (const PassPart& part : scheme_.parts()) {
      scheme_.stepTiles(pass, part, target_.begin(part));
      target_.end(part);
      if (!part.endsBorder) continue;
      completed = part.completed;
      scheme_.completeTiles(pass, TileRange{0, completed}, target_.beginBorder());
      target_.endBorder();
      halo_.begin(scheme_.state().next());
    }
    halo_.finish(scheme_.state().next());
    target_.endTiles();
    scheme_.completeTiles(pass, TileRange{completed, scheme_.tiles()}, target_.main());
    scheme_.advanceState(pass);
  }

  Target& target_;
  Scheme& scheme_;
  Halo& halo_;
};

}  // namespace tessera::solver::backend
