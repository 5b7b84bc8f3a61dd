// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of moments on a GPU: columns of tiles marched along z, one step or two in a pass.
// How long the pieces of a column may be, and whether two steps in a pass are faster, depends on
// how full columns are and on how many pieces fill the device, so the forms are timed on the
// geometry, on several ranks together. Each gives the same bits. Nodes at openings and at walls
// other than halfway ones at rest are stepped separately, for two steps in a pass with those around
// them (domain/separate_nodes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/backend/gpu/columns_kernels.cuh"
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/moment_walls.cuh"
#include "solver/backend/gpu/moments_single_nodes.cuh"
#include "solver/backend/gpu/scheme.cuh"
#include "solver/backend/scheme_backend.hpp"
#include "solver/domain/column_forms.hpp"
#include "solver/domain/separate_nodes.hpp"

namespace tessera::solver::backend {

// A form's table in device memory.
struct DeviceColumnTable {
  domain::ColumnForm form;
  DeviceArray<domain::ColumnPiece> pieces;
  DeviceArray<domain::ColumnTile> rows;
  std::vector<std::uint32_t> firstPiece;  // of each part; then the number of pieces
};

template <model::VariantModel Variant>
class GpuMoments final
    : public GpuScheme<Variant, PlaneWord<Variant>, model::MomentFormat<Variant>::words,
                       GpuMomentWalls<Variant>, boundary::NodeCopy,
                       OrderOfPlanes<model::MomentFormat<Variant>>> {
  using Format = model::MomentFormat<Variant>;
  using Order = PlaneOrder<Variant>;
  using Word = typename Format::Word;
  using Base = GpuScheme<Variant, Word, Format::words, GpuMomentWalls<Variant>, boundary::NodeCopy,
                         OrderOfPlanes<Format>>;
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using View = PlaneView<Variant>;
  static constexpr domain::ColumnTiles ofTwo = domain::columnOfTwo(sizeof(Real));
  using Square = ColumnShape<Real, domain::columnOfOne[0], domain::columnOfOne[1]>;
  using Narrow = ColumnShape<Real, domain::narrowColumn[0], domain::narrowColumn[1]>;
  using OfTwo = ColumnShape<Real, ofTwo[0], ofTwo[1]>;
  static constexpr std::uint64_t perSlot = Order::tileWords;
  static constexpr std::size_t fewSeparate = 65536;  // nodes

 public:
  GpuMoments(Gpu& target, domain::Domain domain, const model::Relaxation& relaxation)
      : GpuMoments(
            target,
            boundary::takeOpenings(domain.links, domain.stencils.nodes, domain.copies, Lattice::q),
            domain, relaxation) {}

  // Steps the separate nodes, whose new moments are stored at once where no tile reads there.
  void applyBoundaries(const Pass& pass, StreamHandle stream) { stepSeparate(pass, true, stream); }
  [[nodiscard]] std::uint64_t stepsPerPass() const { return two_.form.steps == 2 ? 2 : 1; }
  // Nodes that other ranks read after the first step count.
  [[nodiscard]] bool hasBoundaries() const { return Base::hasBoundaries() || ownOfAll_ != 0; }
  void stepTiles(const Pass& pass, const PassPart& part, StreamHandle stream) {
    if (pass.steps == 2)
      launch<OfTwo, true>(two_, part, stream);
    else if (one_.form.tiles == domain::ColumnTiles{Square::tx, Square::ty})
      launch<Square, false>(one_, part, stream);
    else
      launch<Narrow, false>(one_, part, stream);
  }
  // Stores the separate nodes after an in-place update.
  void completeTiles(const Pass& pass, TileRange tiles, StreamHandle stream) {
    const DeviceArray<std::uint32_t>& places = pass.steps == 2 ? again_.places : atBoundaries_;
    const auto count = static_cast<std::uint32_t>(places.size());
    if (state_.inPlace() && count != 0)
      launchKernel(&putSeparateKernel<Order>, {blocks(count, nodeThreads), nodeThreads}, stream,
                   results_.data(), places.data(), count, tiles.first, tiles.end, state_.next());
  }

  [[nodiscard]] std::string form() const {
    const domain::ColumnForm& form = two_.form.steps == 2 ? two_.form : one_.form;
    return std::string(form.steps == 2 ? "two steps" : "one step") + " each, columns of " +
           std::to_string(4 * form.tiles[0]) + " x " + std::to_string(4 * form.tiles[1]) +
           " nodes in pieces of at most " + std::to_string(form.layers) +
           " layers of tiles: the fastest here";
  }

  // One partial sample per block of `tilesOfBlock` tiles.
  void sampleNodes(std::uint32_t tilesOfBlock, unsigned blocks, PartialSample* partial,
                   StreamHandle stream) {
    launchKernel(&sampleMomentsKernel<Variant>, {blocks, nodeThreads}, stream, view(), parameters_,
                 tiles_, tilesOfBlock, partial);
  }
  // With the boundary values of selected step 0.
  void sampleLinks(boundary::LinkSample* samples) {
    const StreamHandle stream = target_.main();
    rebuildOpenings(stream);
    openings_.template sample<Variant>(small_.data(), parameters_, samples, stream);
  }
  // Forces of the step that follows, selected step 0.
  void sampleForces(bool keep) {
    const StreamHandle stream = target_.main();
    if (forces_.needReflected()) fillBoundaries(0, false, stream);
    forces_.sum(boundary::ExchangedMoments<Variant, View>{view(), walls_.view()}, openings_.ramp(0),
                keep, stream);
  }
  void sampleFields(std::uint32_t first, std::uint32_t count, float* fields) {
    const StreamHandle stream = target_.main();
    fillBoundaries(0, false, stream);
    launchKernel(&observeMomentsKernel<Variant>, {blocks(count, nodeThreads / 64), nodeThreads},
                 stream, view(), parameters_, first, count, fields);
    const auto nodes = static_cast<std::uint32_t>(atBoundaries_.size());
    if (nodes != 0)
      launchKernel(&observeSeparateKernel<Variant>, {blocks(nodes, nodeThreads), nodeThreads},
                   stream, view(), now(), atBoundaries_.data(), nodes, separate(), parameters_,
                   first, count, fields);
  }

 private:
  using Base::blocks;
  using Base::copies_;
  using Base::copyCount;
  using Base::forced_;
  using Base::forces_;
  using Base::masks_;
  using Base::openings_;
  using Base::parameters_;
  using Base::parts_;
  using Base::rows_;
  using Base::state_;
  using Base::target_;
  using Base::tiles_;
  using Base::walls_;

  GpuMoments(Gpu& target, const boundary::MomentOpenings& nodes, domain::Domain& domain,
             const model::Relaxation& relaxation)
      : GpuMoments(target, nodes, boundary::takeWalls(std::move(domain.walls), nodes), domain,
                   relaxation) {}
  // domain: its links lie in the scratch populations of `nodes`.
  GpuMoments(Gpu& target, const boundary::MomentOpenings& nodes, const boundary::MomentWalls& walls,
             const domain::Domain& domain, const model::Relaxation& relaxation)
      : Base(target, domain, nodes.copies, GpuMomentWalls<Variant>(walls), relaxation, perSlot),
        smallSlots_(nodes.smallSlots),
        nodes_(nodes.nodes),
        otherOpenings_(std::ranges::any_of(
            nodes.nodes, [&](const auto& node) { return node.slot >= domain.tiles; })),
        stencilOf_(nodes.stencilOf),
        small_(model::populationIndex<Lattice>(nodes.smallSlots, 0, 0)) {
    const bool twice = mayStepTwice(domain);
    const auto separate = domain::separateNodes(domain, nodes, walls, twice ? Format::words : 0);
    const std::vector<std::int32_t> maskOf = markSeparateNodes(separate, domain, twice);
    keepSeparateNodes(separate);
    overlap(true);
    parts_ = partsOf(domain, target_.ranks() != nullptr);
    chooseForms(domain, maskOf, twice);
  }

  // A domain::NodeSet in device memory.
  struct DeviceNodeSet {
    DeviceArray<std::uint64_t> bits;
    DeviceArray<std::uint32_t> earlier;
    DeviceArray<std::uint32_t> places;

    DeviceNodeSet() = default;
    explicit DeviceNodeSet(const domain::NodeSet& set) : DeviceNodeSet(set, set.size()) {}
    // count: of its first nodes, whose places are kept.
    DeviceNodeSet(const domain::NodeSet& set, std::uint32_t count)
        : bits(set.bits()), earlier(set.earlier()) {
      std::vector<std::uint32_t> first = set.places();
      first.resize(count);
      places = DeviceArray<std::uint32_t>(first);
    }
    [[nodiscard]] boundary::NodeSetView view() const { return {bits.data(), earlier.data()}; }
  };
  // Words of the moments of so many nodes, in tiles.
  static std::uint64_t wordsOf(std::uint64_t nodes) {
    return model::momentTile<Order>(static_cast<std::uint32_t>((nodes + 63) / 64));
  }

  // Masks by slot, which it returns, of other ranks' tiles too where passes may make two steps;
  // separate nodes are marked, in masks of their own where a tile had none.
  std::vector<std::int32_t> markSeparateNodes(const domain::SeparateNodes& separate,
                                              const domain::Domain& domain, bool twice) {
    std::vector<std::int32_t> of(twice ? domain.slotsOfTiles() : domain.tiles);
    for (std::size_t s = 0; s < of.size(); ++s)
      of[s] = domain.neighbourTable[s * model::neighbourStride + model::maskEntry];
    std::vector<std::uint32_t> masks(domain.masks.begin(), domain.masks.end());
    const auto mark = [&](const domain::NodeSet& nodes, int bit) {
      for (const std::uint32_t place : nodes.places()) {
        std::int32_t& entry = of[place >> 6U];
        if (entry < 0) {
          entry = static_cast<std::int32_t>(masks.size() / 64);
          masks.resize(masks.size() + 64);
        }
        masks[static_cast<std::size_t>(entry) * 64 + (place & 63U)] |= std::uint32_t{1} << bit;
      }
    };
    mark(separate.atBoundaries, model::separateBit);
    mark(separate.again, model::separateOfTwoBit);
    masks_ = DeviceArray<std::uint32_t>(masks);
    return of;
  }
  void keepSeparateNodes(const domain::SeparateNodes& separate) {
    known_ = DeviceNodeSet(separate.known);
    separateNodes_ = DeviceArray<boundary::SeparateNode>(separate.nodes);
    atBoundaries_ = DeviceArray<std::uint32_t>(separate.atBoundaries.places());
    again_ = DeviceNodeSet(separate.again);
    all_ = DeviceNodeSet(separate.all, separate.ownOfAll);
    ownOfAll_ = separate.ownOfAll;
    first_ = DeviceArray<Word>(wordsOf(separate.all.size()));
    between_.emplace(separate.between, target_);
    if (state_.inPlace())
      results_ = DeviceArray<Word>(wordsOf(std::max(again_.places.size(), atBoundaries_.size())));
  }
  // Passes are of one step: what two need is not.
  void forgetSecondStep() {
    again_ = DeviceNodeSet();
    all_ = DeviceNodeSet();
    ownOfAll_ = 0;
    first_ = DeviceArray<Word>();
    between_.reset();
  }
  [[nodiscard]] View view() const { return {state_.now(), rows_.data(), masks_.data()}; }
  [[nodiscard]] boundary::SmallState<Real> small() const {
    return {small_.data(), smallSlots_ / 2};
  }
  [[nodiscard]] PlaneState<Variant> now() const { return {state_.now()}; }
  [[nodiscard]] boundary::SeparateView<Variant> separate() const {
    return {known_.view(),  separateNodes_.data(), small(),        walls_.view().values,
            walls_.nodes(), walls_.near(),         walls_.shares()};
  }
  // Nodes at openings and of their stencils.
  [[nodiscard]] std::uint32_t nodeCount() const {
    return static_cast<std::uint32_t>(nodes_.size());
  }

  void rebuildOpenings(StreamHandle stream) {
    const std::uint32_t copies = copyCount();
    if (copies + nodeCount() == 0) return;
    launchKernel(&rebuildOpeningsKernel<Variant>,
                 {blocks(copies + nodeCount(), threadsBeside), threadsBeside}, stream, view(),
                 state_.now(), copies_.data(), copies, nodes_.data(), nodeCount(),
                 stencilOf_.data(), small(), parameters_, openings_.stencilValues());
  }
  // Populations that enter through openings in selected step k. commit: the step follows and
  // outlets advance.
  void fillOpenings(std::uint64_t k, bool commit, StreamHandle stream) {
    const std::uint32_t links = openings_.linkCount();
    if (!openings_.any()) return;
    const boundary::OpeningValues values =
        openings_.template solve<Variant>(k, small_.data(), parameters_, commit, stream);
    if (links == 0) return;
    launchKernel(&fillOpeningsKernel<Variant>,
                 {blocks(openings_.fillThreads(), threadsBeside), threadsBeside}, stream,
                 small_.data(), openings_.links(), links, parameters_, values);
  }
  // Populations of selected step k that enter through openings and that walls reflect, from the
  // moments of `from`.
  template <class Source>
  void fillFrom(const Source& from, std::uint64_t k, bool commit, StreamHandle stream) {
    fillOpenings(k, commit, stream);
    walls_.reflect(from, small(), openings_.ramp(k), stream);
  }
  void fillBoundaries(std::uint64_t k, bool commit, StreamHandle stream) {
    rebuildOpenings(stream);
    fillFrom(now(), k, commit, stream);
  }
  void stepSeparate(const Pass& pass, bool commit, StreamHandle stream) {
    fillBoundaries(pass.first, commit, stream);
    if (pass.steps != 2) return stepFinally(now(), atBoundaries_, stream);
    const RebuiltNodes rebuilt{stencilOf_.data(), openings_.stencilValues()};
    stepNodes(now(), all_.places, first_.data(), true, rebuilt, stream);
    const PlaneList<Variant> first{first_.data(), all_.view()};
    if (target_.ranks() != nullptr) {
      between_->exchange(first_.data(), stream);
      if (otherOpenings_)
        launchKernel(&rebuildReceivedKernel<Variant>,
                     {blocks(nodeCount(), threadsBeside), threadsBeside}, stream, first,
                     nodes_.data(), nodeCount(), tiles_, small(), parameters_, rebuilt);
    }
    fillFrom(first, pass.first + 1, commit, stream);
    stepFinally(first, again_.places, stream);
  }
  // To the new state, where no tile reads the old one any more; otherwise to where they wait.
  template <class Source>
  void stepFinally(const Source& from, const DeviceArray<std::uint32_t>& places,
                   StreamHandle stream) {
    const bool waits = state_.inPlace();
    stepNodes(from, places, waits ? results_.data() : state_.next(), waits, {}, stream);
  }
  template <class Source>
  void stepNodes(const Source& from, const DeviceArray<std::uint32_t>& places, Word* to,
                 bool listed, const RebuiltNodes& rebuilt, StreamHandle stream) {
    if (places.size() > fewSeparate)
      launchStep<true>(from, places, to, listed, rebuilt, stream);
    else if (places.size() != 0)
      launchStep<false>(from, places, to, listed, rebuilt, stream);
  }
  template <bool many, class Source>
  void launchStep(const Source& from, const DeviceArray<std::uint32_t>& places, Word* to,
                  bool listed, const RebuiltNodes& rebuilt, StreamHandle stream) {
    const auto count = static_cast<std::uint32_t>(places.size());
    constexpr unsigned threads = separateThreads<many>;
    const auto kernel = forced_ ? &stepSeparateKernel<Variant, true, many, Source>
                                : &stepSeparateKernel<Variant, false, many, Source>;
    launchKernel(kernel, {blocks(count, threads), threads}, stream, view(), from, places.data(),
                 count, to, listed, separate(), parameters_, relaxation_, rebuilt);
  }

  // Launches the pieces of a part.
  template <class Shape, bool twice>
  void launch(const DeviceColumnTable& table, const PassPart& part, StreamHandle stream) {
    const auto kernel = [this] {
      if constexpr (twice)
        return forced_ ? &columnTwiceKernel<Variant, Shape, true>
                       : &columnTwiceKernel<Variant, Shape, false>;
      else
        return forced_ ? &columnKernel<Variant, Shape, true, blocksOf<Shape>>
                       : &columnKernel<Variant, Shape, false, blocksOf<Shape>>;
    }();
    constexpr std::size_t shared = twice ? Shape::sharedOfTwo : Shape::sharedOfOne;
    if (part.first == part.end) return;
    const auto number = static_cast<std::size_t>(
        std::lower_bound(parts_.begin(), parts_.end(), part.end,
                         [](const PassPart& one, std::uint32_t end) { return one.end < end; }) -
        parts_.begin());
    const std::uint32_t first = table.firstPiece[number];
    const std::uint32_t pieces = table.firstPiece[number + 1] - first;
    if (pieces == 0) return;
    allowSharedMemory(kernel, shared);
    const DeviceColumns<Format> columns{state_.now(), state_.next(), table.pieces.data() + first,
                                        table.rows.data(), masks_.data()};
    const unsigned threads = twice ? Shape::threadsOfTwo : Shape::threadsOfOne;
    launchDependent(kernel, {pieces, threads, shared}, stream, columns, relaxation_);
  }
  // Blocks of one step on a multiprocessor at a time, as their registers and shared memory allow.
  template <class Shape>
  static constexpr int blocksOf = (sizeof(Real) == 8 ? 640 : 960) / Shape::threadsOfOne;

  // exchanges: parts begin with the border.
  [[nodiscard]] std::vector<PassPart> partsOf(const domain::Domain& domain, bool exchanges) const {
    if (state_.inPlace()) return windowParts(domain, exchanges);
    return exchanges ? haloParts(domain) : std::vector<PassPart>{{0, tiles_}};
  }
  DeviceColumnTable tableOf(const domain::Domain& domain, std::span<const std::int32_t> maskOf,
                            const domain::ColumnForm& form) const {
    std::vector<std::uint32_t> ends;
    for (const PassPart& part : parts_) ends.push_back(part.end);
    domain::ColumnTable table = domain::columnTable(domain, form.tiles, form.layers, ends, maskOf);
    return {form, DeviceArray<domain::ColumnPiece>(table.pieces),
            DeviceArray<domain::ColumnTile>(table.rows), std::move(table.firstPiece)};
  }
  // The same on all ranks.
  [[nodiscard]] bool mayStepTwice(const domain::Domain& domain) const {
    if (domain.stepsInPass == 1) return false;
    const bool can = copies_.size() == 0 && OfTwo::sharedOfTwo <= mostSharedMemory();
    return stage::sumOf(*domain.ranks, can ? 0 : 1) == 0;
  }
  // The fastest form of one step a pass, and of two where that is faster still.
  void chooseForms(const domain::Domain& domain, std::span<const std::int32_t> maskOf, bool twice) {
    const domain::ColumnTiles tiles = Square::sharedOfOne <= mostSharedMemory()
                                          ? domain::ColumnTiles{Square::tx, Square::ty}
                                          : domain::ColumnTiles{Narrow::tx, Narrow::ty};
    chooseLayers(domain, maskOf, 1, tiles, one_);
    const TimedOverlap one = chooseOverlap(1);
    if (twice) {
      chooseLayers(domain, maskOf, 2, ofTwo, two_);
      const TimedOverlap two = chooseOverlap(2);
      if (domain.stepsInPass == 0 && comm::largestOf(*domain.ranks, two.seconds) >=
                                         2.0 * comm::largestOf(*domain.ranks, one.seconds)) {
        two_ = DeviceColumnTable();
        forgetSecondStep();
        overlap(one.beside);
      }
    }
    state_.clear();
  }
  // Whether separate nodes are stepped beside the tiles, or before them; seconds of a pass.
  struct TimedOverlap {
    double seconds = 0.0;
    bool beside = true;
  };
  // Takes the faster one.
  TimedOverlap chooseOverlap(int steps) {
    overlap(true);
    TimedOverlap fastest{timePasses(steps, true), true};
    if (!mayOverlap()) return fastest;
    overlap(false);
    const double before = timePasses(steps, true);
    if (before < fastest.seconds) return {before, false};
    overlap(true);
    return fastest;
  }
  [[nodiscard]] bool mayOverlap() const {
    return target_.recordsGraphs() && copies_.size() == 0 && separateNodes_.size() != 0;
  }
  void overlap(bool beside) {
    target_.overlap(beside && mayOverlap() ? Overlap::SeparateNodes : Overlap::None);
  }
  // The fastest of columnLengths() becomes `table`. Two tables at most are there at a time. On
  // several ranks the tiles alone are timed: ranks may try different numbers of lengths.
  void chooseLayers(const domain::Domain& domain, std::span<const std::int32_t> maskOf, int steps,
                    const domain::ColumnTiles& tiles, DeviceColumnTable& table) {
    double best = 0.0;
    DeviceColumnTable fastest;
    for (const int most : domain::columnLengths(steps, tiles_)) {
      table = DeviceColumnTable();
      table = tableOf(domain, maskOf, {steps, tiles, most});
      const double seconds = timePasses(steps, target_.ranks() == nullptr);
      if (best != 0.0 && seconds >= best) continue;
      best = seconds;
      fastest = std::move(table);
    }
    table = std::move(fastest);
  }
  double timePasses(int steps, bool separate) {
    constexpr int passes = 5;
    const DeviceTimer timer;
    makeTrialPass(steps, separate);
    return timer.seconds([&] {
      for (int k = 0; k < passes; ++k) makeTrialPass(steps, separate);
    }) / passes;
  }
  // A pass as the driver makes it, but for the halo; outlets stay as they are.
  // separate: with the separate nodes, on all ranks together.
  void makeTrialPass(int steps, bool separate) {
    const Pass pass{0, static_cast<std::uint64_t>(steps)};
    if (separate) {
      stepSeparate(pass, false, target_.beginBoundaries());
      target_.endBoundaries();
    }
    for (const PassPart& part : parts_) {
      stepTiles(pass, part, target_.begin(part));
      target_.end(part);
      if (part.endsBorder) target_.endBorder();
    }
    target_.endTiles();
    if (separate) completeTiles(pass, {0, tiles_}, target_.main());
  }

  model::MomentRelaxation<Real> relaxation_{model::momentRelaxation<Lattice, Format>(parameters_)};
  std::uint32_t smallSlots_;
  DeviceArray<boundary::OpeningNodeLocation> nodes_;
  bool otherOpenings_;                   // some are of other ranks
  DeviceArray<std::int32_t> stencilOf_;  // MomentOpenings'
  DeviceArray<Real> small_;              // scratch populations of these nodes
  // SeparateNodes; for two steps in a pass also the moments of all of them after the first.
  DeviceNodeSet known_;
  DeviceArray<boundary::SeparateNode> separateNodes_;
  DeviceArray<std::uint32_t> atBoundaries_;
  DeviceNodeSet again_;
  DeviceNodeSet all_;
  std::uint32_t ownOfAll_ = 0;
  DeviceArray<Word> first_;
  std::optional<typename Base::Halo> between_;  // of the nodes of `first_`
  DeviceArray<Word> results_;                   // moments that wait for the end of the tiles' step
  DeviceColumnTable one_;                       // of passes of one step
  DeviceColumnTable two_;                       // of two; form.steps 1: none
};

template <model::VariantModel Variant>
using GpuMomentsBackend = SchemeBackend<Gpu, GpuMoments<Variant>>;

}  // namespace tessera::solver::backend
