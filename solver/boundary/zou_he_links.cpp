// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/zou_he_links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "solver/boundary/profiles.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

namespace {

constexpr double alongAxis = 0.9999;  // of the normal's component

class Arrivals {
 public:
  Arrivals(const TiledGeometry& geometry, const LatticeInfo& info, const Domain& domain)
      : size_(geometry.tileSize), info_(info), domain_(domain) {
    for (const PopulationCopy& copy : domain.copies) copied_.emplace(copy.to, copy.from);
  }

  // Where population i of a node arrives from, as the step gathers it.
  [[nodiscard]] std::uint64_t sourceOf(std::uint32_t slot, int local, std::size_t i) const {
    const auto& c = info_.velocities[i];
    const std::int32_t* row = &domain_.rows[std::size_t{slot} * rowLength];
    const std::size_t bit = static_cast<std::size_t>(directionOf(-c[0], -c[1], -c[2]));
    if (row[maskColumn] >= 0 &&
        (domain_.masks[static_cast<std::size_t>(row[maskColumn]) * tileNodes +
                       static_cast<std::size_t>(local)] >>
             bit &
         1U) != 0)
      return index(slot, static_cast<std::size_t>(opposite(static_cast<int>(i))), local);
    int at[3] = {local % size_[0], local / size_[0] % size_[1], local / (size_[0] * size_[1])};
    int step[3] = {0, 0, 0};
    for (std::size_t a = 0; a < 3; ++a) {
      at[a] -= c[a];
      step[a] = at[a] < 0 ? -1 : at[a] >= size_[a] ? 1 : 0;
      at[a] -= step[a] * size_[a];
    }
    const auto from = static_cast<std::uint32_t>(row[directionOf(step[0], step[1], step[2])]);
    const std::uint64_t source = index(from, i, at[0] + size_[0] * (at[1] + size_[1] * at[2]));
    const auto copy = copied_.find(source);
    return copy == copied_.end() ? source : copy->second;
  }

 private:
  [[nodiscard]] std::uint64_t index(std::uint32_t slot, std::size_t i, int local) const {
    return (std::uint64_t{slot} * info_.velocities.size() + i) * tileNodes +
           static_cast<unsigned>(local);
  }
  Int3 size_;
  const LatticeInfo& info_;
  const Domain& domain_;
  std::unordered_map<std::uint64_t, std::uint64_t> copied_;
};

// The axis that the opening lies across. Throws when there is none.
std::size_t axisOf(const TiledGeometry& geometry, std::size_t opening) {
  const LatticeOpening shape = inLattice(geometry.openings[opening], geometry);
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(shape.normal[a]) > alongAxis) return a;
  fail(ExitCode::Usage,
       "opening " + std::to_string(geometry.openings[opening].id) + " (" +
           geometry.openings[opening].name +
           "): scheme = \"zou-he\" is for openings across an axis of the lattice, which this one "
           "is not; use scheme = \"link\", which is for any");
}

void checkPlane(const TiledGeometry& geometry, const TileOrder& order,
                const std::vector<Int3>& nodes, const SolverCase& run,
                const std::vector<std::size_t>& axes) {
  std::vector<int> plane(run.openings.size(), -1);
  std::map<Int3, std::size_t> openingOf;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::size_t o = order.openingLinks[k].opening;
    const auto [other, first] = openingOf.emplace(nodes[k], o);
    const bool shared =
        other->second != o && (run.openings[o].zouHe || run.openings[other->second].zouHe);
    if (run.openings[o].zouHe && plane[o] < 0) plane[o] = nodes[k][axes[o]];
    if (shared || (run.openings[o].zouHe && plane[o] != nodes[k][axes[o]]))
      fail(ExitCode::Usage, "opening " + std::to_string(geometry.openings[o].id) + " (" +
                                geometry.openings[o].name +
                                "): scheme = \"zou-he\" needs nodes on one plane, none of them at "
                                "another opening; use scheme = \"link\"");
  }
}

}  // namespace

std::vector<Int3> nodesOfLinks(const TileOrder& order, const TiledGeometry& geometry) {
  std::vector<Int3> nodes;
  nodes.reserve(order.openingLinks.size());
  for (const OpeningLink& link : order.openingLinks)
    nodes.push_back(geometry.nodeOf(link.tile, link.local));
  return nodes;
}

void setZouHeLinks(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                   const LatticeInfo& info, Domain& domain) {
  if (std::none_of(run.openings.begin(), run.openings.end(),
                   [](const OpeningCondition& condition) { return condition.zouHe; }))
    return;
  if (geometry.inRows())
    fail(ExitCode::Usage,
         "scheme = \"zou-he\" is not there for tiles in rows; use scheme = \"link\", or tiles by "
         "one mesh (tessera-tiler --placement global)");
  std::vector<std::size_t> axes(run.openings.size(), 0);
  for (std::size_t o = 0; o < axes.size(); ++o)
    if (run.openings[o].zouHe) axes[o] = axisOf(geometry, o);
  checkPlane(geometry, order, nodesOfLinks(order, geometry), run, axes);
  const Arrivals arrivals(geometry, info, domain);
  const std::size_t q = info.velocities.size();
  domain.sources.assign(domain.links.size() * q, 0);
  for (std::size_t k = 0; k < domain.links.size(); ++k) {
    IncomingLink& link = domain.links[k];
    if (!run.openings[link.opening].zouHe || order.openingLinks[k].slot >= firstFarSlot) continue;
    const bool velocity = link.condition == LinkCondition::Velocity;
    link.condition = velocity ? LinkCondition::ZouHeVelocity : LinkCondition::ZouHePressure;
    link.axis = static_cast<std::uint8_t>(axes[link.opening]);
    // 6 w c . v of a velocity across the plane, c . n = 1.
    if (velocity) link.value /= 6.0 * link.weight;
    for (std::size_t i = 0; i < q; ++i)
      domain.sources[k * q + i] =
          arrivals.sourceOf(order.openingLinks[k].slot, order.openingLinks[k].local, i);
  }
}

}  // namespace tessera
