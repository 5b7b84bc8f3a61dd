// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/comm/two_step_sets.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "preprocess/file/node_types.hpp"
#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/moment_walls.hpp"
#include "solver/domain/build.hpp"
#include "solver/domain/separate_nodes.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/run/load_part.hpp"
#include "solver/run/setup.hpp"
#include "solver/tiles/neighbour_table.hpp"

namespace tessera::testing {

using namespace tessera::solver;

namespace {

constexpr unsigned words = 10;
using Codes = std::set<std::uint64_t>;

// The separate nodes of a part of the geometry, by numbers that are the same on every rank: 64
// times the tile in the file plus the node in it.
class Sets {
 public:
  Sets(comm::Ranks& ranks, const RankCase& of, run::LoadedPart loaded)
      : geometry_(std::move(loaded.tiles.geometry)),
        setup_(run::prepare(
            geometry_,
            cases::readSolverCase(stage::CaseFile::parse(of.toml, "case.toml"), geometry_), "cpu",
            ranks, std::move(loaded.part))),
        domain_(domain::buildDomain(setup_.order, geometry_, setup_.run, setup_.lattice,
                                    setup_.variant->lattice)) {
    if (copies()) return;
    domain_.ranks = &ranks;
    if (!ranks.alone()) {
      domain_.part = &setup_.part;
      domain_.order = &setup_.order;
    }
    const boundary::MomentOpenings openings = boundary::takeOpenings(
        domain_.links, domain_.stencils.nodes, domain_.copies, model::D3Q19::q);
    const boundary::MomentWalls walls = boundary::takeWalls(setup_.walls, openings);
    nodes_ = domain::separateNodes(domain_, openings, walls, words);
    tileOfSlot_.resize(domain_.slotsOfTiles());
    for (std::size_t t = 0; t < geometry_.tiles(); ++t)
      if (setup_.order.slotOfTile[t] < tileOfSlot_.size())
        tileOfSlot_[setup_.order.slotOfTile[t]] = t;
  }
  [[nodiscard]] bool copies() const { return setup_.copiesOfAll != 0; }
  [[nodiscard]] const domain::SeparateNodes& nodes() const { return nodes_; }

  [[nodiscard]] std::uint64_t code(std::uint64_t place) const {
    return std::uint64_t{setup_.part.inFile(tileOfSlot_[place / 64])} * 64 + place % 64;
  }
  [[nodiscard]] Codes codes(const domain::NodeSet& set) const {
    Codes codes;
    for (const std::uint32_t place : set.places()) codes.insert(code(place));
    return codes;
  }
  [[nodiscard]] bool owns(std::uint64_t code) const {
    const auto& tiles = setup_.part.fileTile;
    const auto file = static_cast<std::int32_t>(code / 64);
    const auto at = std::lower_bound(tiles.begin(), tiles.end(), file);
    return at != tiles.end() && *at == file &&
           setup_.part.owns(static_cast<std::size_t>(at - tiles.begin()));
  }
  // Whether all nodes that those of the second step gather from make the first.
  [[nodiscard]] bool gatherKnown() const {
    bool known = true;
    for (const std::uint32_t place : nodes_.again.places())
      for (int i = 1; i < model::D3Q19::q; ++i) {
        const tiles::PopulationLocation from =
            tiles::gatherLocation(setup_.order, geometry_, place / 64, static_cast<int>(place % 64),
                                  i, setup_.variant->lattice);
        if (from.slot >= tileOfSlot_.size()) continue;
        const std::size_t node = tileOfSlot_[from.slot] * 64 + from.local;
        const bool solid = geometry_.nodeType[node] ==
                           static_cast<std::uint8_t>(preprocess::file::NodeType::Solid);
        known = known && (solid || nodes_.all.view().has(from.slot, from.local));
      }
    return known;
  }
  // Codes of the nodes of a side of the exchange between the steps.
  [[nodiscard]] std::vector<std::uint64_t> exchanged(
      const std::vector<std::uint64_t>& indices) const {
    const std::vector<std::uint32_t> places = nodes_.all.places();
    std::vector<std::uint64_t> codes;
    for (const std::uint64_t index : indices)
      codes.push_back(code(places[index / 64 / words * 64 + index % 64]) * words +
                      index / 64 % words);
    return codes;
  }

 private:
  tiler::TiledGeometry geometry_;
  run::Setup setup_;
  domain::Domain domain_;
  domain::SeparateNodes nodes_;
  std::vector<std::size_t> tileOfSlot_;
};

// Whether each rank receives the values that the plan of their owner sends.
bool sameMessages(comm::Ranks& ranks, const Sets& sets) {
  const domain::HaloPlan& plan = sets.nodes().between;
  const std::vector<std::uint64_t> sent = sets.exchanged(plan.send);
  const std::vector<std::uint64_t> received = sets.exchanged(plan.receive);
  std::vector<stage::Message> messages(static_cast<std::size_t>(ranks.size()));
  for (const domain::HaloNeighbour& other : plan.neighbours)
    messages[static_cast<std::size_t>(other.rank)] =
        stage::bytesOf<std::uint64_t>(std::span(sent).subspan(other.firstSent, other.sent));
  messages = ranks.allToAll(std::move(messages));
  std::size_t all = 0;
  bool same = true;
  for (const domain::HaloNeighbour& other : plan.neighbours) {
    const auto came =
        stage::valuesOf<std::uint64_t>(messages[static_cast<std::size_t>(other.rank)]);
    const auto expected = std::span(received).subspan(other.firstReceived, other.received);
    same = same && std::ranges::equal(came, expected);
    all += came.size();
  }
  return same && all == received.size();
}

}  // namespace

std::string twoStepDifferences(comm::Ranks& ranks, const RankCase& of,
                               const std::filesystem::path& tiles) {
  const Sets alone(comm::noOthers(), of, {tiler::file::readTilesFile(tiles), {}});
  const Sets mine(ranks, of, run::loadPart(tiles, ranks));
  if (alone.copies()) return {};
  std::string differences;
  const Codes again = mine.codes(mine.nodes().again);
  Codes expected;
  for (const std::uint64_t code : alone.codes(alone.nodes().again))
    if (mine.owns(code)) expected.insert(code);
  if (again != expected) differences += " nodes of the second step";
  Codes ownOfAll;
  for (const std::uint64_t code : mine.codes(mine.nodes().all))
    if (mine.owns(code)) ownOfAll.insert(code);
  const Codes allAlone = alone.codes(alone.nodes().all);
  if (!std::ranges::includes(allAlone, ownOfAll)) differences += " too many of the first step";
  if (ownOfAll.size() != mine.nodes().ownOfAll) differences += " number of own nodes";
  if (!mine.gatherKnown()) differences += " nodes that the second step reads";
  if (!sameMessages(ranks, mine)) differences += " messages";
  return differences;
}

}  // namespace tessera::testing
