// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of moments on a GPU: columns of tiles marched along z, one step or two in a pass.
// How long the pieces of a column may be, and whether two steps in a pass are faster, depends on
// how full columns are and on how many pieces fill the device, so the forms are timed on the
// geometry. Each gives the same bits. Nodes at openings are stepped separately, for two steps in a
// pass with those around them (domain/opening_surroundings.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/backend/gpu/columns_kernels.cuh"
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/moments_single_nodes.cuh"
#include "solver/backend/gpu/scheme.cuh"
#include "solver/backend/scheme_backend.hpp"
#include "solver/domain/column_forms.hpp"
#include "solver/domain/opening_surroundings.hpp"

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
    : public GpuScheme<Variant, typename Variant::Real, model::moment::count, HalfwayWalls,
                       boundary::NodeCopy, OrderOfPlanes<typename Variant::Real>> {
  using Base = GpuScheme<Variant, typename Variant::Real, model::moment::count, HalfwayWalls,
                         boundary::NodeCopy, OrderOfPlanes<typename Variant::Real>>;
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using View = PlaneView<Real>;
  static constexpr domain::ColumnTiles ofTwo = domain::columnOfTwo(sizeof(Real));
  using Square = ColumnShape<Real, domain::columnOfOne[0], domain::columnOfOne[1]>;
  using Narrow = ColumnShape<Real, domain::narrowColumn[0], domain::narrowColumn[1]>;
  using OfTwo = ColumnShape<Real, ofTwo[0], ofTwo[1]>;
  static constexpr std::uint64_t perSlot = model::momentTile(1);

 public:
  GpuMoments(Gpu& target, domain::Domain domain, const model::Relaxation& relaxation)
      : GpuMoments(
            target,
            boundary::takeOpenings(domain.links, domain.stencils.nodes, domain.copies, Lattice::q),
            domain, relaxation) {}

  // Steps the nodes at openings, whose new moments are stored at once where no tile reads there.
  void applyBoundaries(const Pass& pass, StreamHandle stream) { stepOpenings(pass, true, stream); }
  [[nodiscard]] std::uint64_t stepsPerPass() const { return two_.form.steps == 2 ? 2 : 1; }
  void stepTiles(const Pass& pass, const PassPart& part, StreamHandle stream) {
    if (pass.steps == 2)
      launch<OfTwo, true>(two_, part, stream);
    else if (one_.form.tiles == domain::ColumnTiles{Square::tx, Square::ty})
      launch<Square, false>(one_, part, stream);
    else
      launch<Narrow, false>(one_, part, stream);
  }
  // Stores the nodes at openings after an in-place update, with those that gather from them after
  // two steps.
  void completeTiles(const Pass& pass, TileRange tiles, StreamHandle stream) {
    const std::uint32_t count = pass.steps == 2 ? again_ : steppedNodes();
    if (state_.inPlace() && count != 0)
      launchKernel(&putOpeningsKernel<Real>, {blocks(count, nodeThreads), nodeThreads}, stream,
                   results(count), surroundings_.data(), count, tiles.first, tiles.end,
                   StatePlaces<Real>{state_.next()});
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
  void sampleForces(bool keep) {
    forces_.sum(boundary::ExchangedMoments<Lattice, View>{view()}, nullptr, keep, target_.main());
  }
  void sampleFields(std::uint32_t first, std::uint32_t count, float* fields) {
    const StreamHandle stream = target_.main();
    rebuildOpenings(stream);
    fillOpenings(0, false, stream);
    launchKernel(&observeMomentsKernel<Variant>, {blocks(count, nodeThreads / 64), nodeThreads},
                 stream, view(), parameters_, first, count, fields);
    forOpeningNodes(&observeOpeningsKernel<Variant>, stream, view(), nodes_.data(), steppedNodes(),
                    small(), parameters_, first, count, fields);
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

  // domain: its links lie in the scratch populations of `nodes`.
  GpuMoments(Gpu& target, const boundary::MomentOpenings& nodes, const domain::Domain& domain,
             const model::Relaxation& relaxation)
      : Base(target, domain, nodes.copies, {}, relaxation, perSlot),
        smallSlots_(nodes.smallSlots),
        nodes_(nodes.nodes),
        stepped_(static_cast<std::uint32_t>(nodes.stepped)),
        stencilOf_(nodes.stencilOf),
        small_(model::populationIndex<Lattice>(nodes.smallSlots, 0, 0)) {
    const bool twice = domain.stepsInPass != 1 && mayStepTwice() && nodes.stepped != 0;
    const auto around = domain::openingSurroundings(domain, Lattice::c, nodes, twice);
    const std::vector<std::int32_t> maskOf = markSteppedNodes(nodes, around, domain);
    keepSurroundings(around);
    if (target_.recordsGraphs() && copies_.size() == 0 && nodes_.size() != 0)
      target_.overlap(Overlap::OpeningNodes);
    parts_ = partsOf(domain, false);
    chooseForms(domain, nodes, maskOf);
    if (target_.ranks() == nullptr) return;
    parts_ = partsOf(domain, true);
    one_ = tableOf(domain, maskOf, one_.form);
  }
  // Masks by slot, which it returns; nodes at openings and around them are marked, in masks of
  // their own where a tile had none.
  std::vector<std::int32_t> markSteppedNodes(const boundary::MomentOpenings& nodes,
                                             const domain::OpeningSurroundings& around,
                                             const domain::Domain& domain) {
    std::vector<std::int32_t> of(domain.tiles);
    for (std::size_t s = 0; s < of.size(); ++s)
      of[s] = domain.neighbourTable[s * model::neighbourStride + model::maskEntry];
    std::vector<std::uint32_t> masks(domain.masks.begin(), domain.masks.end());
    const auto mark = [&](const boundary::OpeningNodeLocation& node, int bit) {
      if (node.slot >= domain.tiles) return;
      if (of[node.slot] < 0) {
        of[node.slot] = static_cast<std::int32_t>(masks.size() / 64);
        masks.resize(masks.size() + 64);
      }
      masks[static_cast<std::size_t>(of[node.slot]) * 64 + node.local] |= std::uint32_t{1} << bit;
    };
    for (std::size_t k = 0; k < nodes.stepped; ++k) mark(nodes.nodes[k], model::separateBit);
    for (std::size_t k = 0; k < around.again; ++k) mark(around.nodes[k], model::separateOfTwoBit);
    masks_ = DeviceArray<std::uint32_t>(masks);
    return of;
  }
  void keepSurroundings(const domain::OpeningSurroundings& around) {
    again_ = static_cast<std::uint32_t>(around.again);
    surroundings_ = DeviceArray<boundary::OpeningNodeLocation>(around.nodes);
    openingOf_ = DeviceArray<std::int32_t>(around.openingOf);
    sources_ = DeviceArray<std::uint32_t>(around.sources);
    sourcesAgain_ = DeviceArray<std::uint32_t>(around.sourcesAgain);
    first_ = DeviceArray<Real>(again_ != 0 ? around.nodes.size() * model::moment::count : 0);
    if (state_.inPlace())
      results_ =
          DeviceArray<Real>(std::max(std::size_t{stepped_}, around.again) * model::moment::count);
  }
  [[nodiscard]] View view() const { return {state_.now(), rows_.data(), masks_.data()}; }
  [[nodiscard]] boundary::SmallState<Real> small() const {
    return {small_.data(), smallSlots_ / 2};
  }
  [[nodiscard]] std::uint32_t nodeCount() const {
    return static_cast<std::uint32_t>(nodes_.size());
  }
  // Nodes at openings; nodeCount() also counts those of the stencils.
  [[nodiscard]] std::uint32_t steppedNodes() const { return stepped_; }
  // Launches a kernel with a thread for each node at an opening.
  template <class Kernel, class... Arguments>
  void forOpeningNodes(Kernel kernel, StreamHandle stream, const Arguments&... arguments) {
    if (steppedNodes() != 0)
      launchKernel(kernel, {blocks(steppedNodes(), nodeThreads), nodeThreads}, stream,
                   arguments...);
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
    launchKernel(&fillOpeningsKernel<Variant>, {blocks(links, threadsBeside), threadsBeside},
                 stream, small_.data(), openings_.links(), links, parameters_, values);
  }
  void stepOpenings(const Pass& pass, bool commit, StreamHandle stream) {
    rebuildOpenings(stream);
    fillOpenings(pass.first, commit, stream);
    const bool twice = pass.steps == 2;
    if (steppedNodes() == 0) {
      if (twice) fillOpenings(pass.first + 1, commit, stream);
      return;
    }
    const auto all = static_cast<std::uint32_t>(surroundings_.size());
    const StatePlaces<Real> now{state_.now()};
    if (!twice)
      return stepNodesApart(now, {surroundings_.data(), steppedNodes(), sources_.data(), all},
                            stream);
    const ListPlaces<Real> first{first_.data(), all};
    stepNodes(now, {surroundings_.data(), all, sources_.data(), all}, first,
              {openingOf_.data(), stencilOf_.data(), openings_.stencilValues()}, stream);
    fillOpenings(pass.first + 1, commit, stream);
    stepNodesApart(first, {surroundings_.data(), again_, sourcesAgain_.data(), again_}, stream);
  }
  [[nodiscard]] ListPlaces<Real> results(std::uint32_t count) const {
    return {results_.data(), count};
  }
  // To the new state, where no tile reads the old one any more; otherwise to where they wait.
  template <class From>
  void stepNodesApart(const From& from, const GatheringNodes& list, StreamHandle stream) {
    if (state_.inPlace())
      stepNodes(from, list, results(list.count), {}, stream);
    else
      stepNodes(from, list, StatePlaces<Real>{state_.next()}, {}, stream);
  }
  template <class From, class To>
  void stepNodes(const From& from, const GatheringNodes& list, const To& to,
                 const RebuiltNodes& rebuilt, StreamHandle stream) {
    const auto kernel = forced_ ? &stepNodesKernel<Variant, true, From, To>
                                : &stepNodesKernel<Variant, false, From, To>;
    launchKernel(kernel, {blocks(list.count, threadsBeside), threadsBeside}, stream, from, list, to,
                 small(), parameters_, relaxation_, rebuilt);
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
    const DeviceColumns<Real> columns{state_.now(), state_.next(), table.pieces.data() + first,
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
  // Two steps in a pass would need what other ranks and copies do in between.
  [[nodiscard]] bool mayStepTwice() const {
    return target_.ranks() == nullptr && copies_.size() == 0 &&
           OfTwo::sharedOfTwo <= mostSharedMemory();
  }
  // The fastest form of one step a pass, and of two where that is faster still.
  void chooseForms(const domain::Domain& domain, const boundary::MomentOpenings& nodes,
                   std::span<const std::int32_t> maskOf) {
    const domain::ColumnTiles tiles = Square::sharedOfOne <= mostSharedMemory()
                                          ? domain::ColumnTiles{Square::tx, Square::ty}
                                          : domain::ColumnTiles{Narrow::tx, Narrow::ty};
    const double one = chooseLayers(domain, maskOf, 1, tiles, one_);
    if (domain.stepsInPass != 1 && mayStepTwice()) {
      const double two = chooseLayers(domain, maskOf, 2, ofTwo, two_);
      if (domain.stepsInPass == 0 && two >= 2.0 * one) {
        two_ = DeviceColumnTable();
        keepSurroundings(domain::openingSurroundings(domain, Lattice::c, nodes, false));
      }
    }
    state_.clear();
  }
  // Seconds of a pass of the fastest of columnLengths(), which becomes `table`. Two tables at most
  // are there at a time.
  double chooseLayers(const domain::Domain& domain, std::span<const std::int32_t> maskOf, int steps,
                      const domain::ColumnTiles& tiles, DeviceColumnTable& table) {
    double best = 0.0;
    DeviceColumnTable fastest;
    for (const int most : domain::columnLengths(steps, tiles_)) {
      table = DeviceColumnTable();
      table = tableOf(domain, maskOf, {steps, tiles, most});
      const double seconds = timePasses(steps);
      if (best != 0.0 && seconds >= best) continue;
      best = seconds;
      fastest = std::move(table);
    }
    table = std::move(fastest);
    return best;
  }
  double timePasses(int steps) {
    constexpr int passes = 5;
    const DeviceTimer timer;
    makeTrialPass(steps);
    return timer.seconds([&] {
      for (int k = 0; k < passes; ++k) makeTrialPass(steps);
    }) / passes;
  }
  // A pass as the driver makes it on one rank; outlets stay as they are. With several ranks, the
  // tiles alone.
  void makeTrialPass(int steps) {
    const Pass pass{0, static_cast<std::uint64_t>(steps)};
    const bool alone = target_.ranks() == nullptr;
    if (alone) {
      stepOpenings(pass, false, target_.beginBoundaries());
      target_.endBoundaries();
    }
    for (const PassPart& part : parts_) {
      stepTiles(pass, part, target_.begin(part));
      target_.end(part);
    }
    if (!alone) return;
    target_.endTiles();
    completeTiles(pass, {0, tiles_}, target_.main());
  }

  model::MomentRelaxation<Real> relaxation_{model::momentRelaxation<Lattice>(parameters_)};
  std::uint32_t smallSlots_;
  DeviceArray<boundary::OpeningNodeLocation> nodes_;
  std::uint32_t stepped_;
  DeviceArray<std::int32_t> stencilOf_;  // MomentOpenings'
  DeviceArray<Real> small_;              // scratch populations of these nodes
  DeviceArray<Real> results_;            // moments that wait for the end of the tiles' step
  // OpeningSurroundings; for two steps in a pass also the moments of its nodes after the first.
  std::uint32_t again_ = 0;
  DeviceArray<boundary::OpeningNodeLocation> surroundings_;
  DeviceArray<std::int32_t> openingOf_;
  DeviceArray<std::uint32_t> sources_;
  DeviceArray<std::uint32_t> sourcesAgain_;
  DeviceArray<Real> first_;
  DeviceColumnTable one_;  // of passes of one step
  DeviceColumnTable two_;  // of two; form.steps 1: none
};

template <model::VariantModel Variant>
using GpuMomentsBackend = SchemeBackend<Gpu, GpuMoments<Variant>>;

}  // namespace tessera::solver::backend
