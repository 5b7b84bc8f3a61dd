// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_zou_he.hpp"

#include <cmath>
#include <map>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "solver/boundary/profiles.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/neighbour_table.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr double alongAxis = 0.9999;  // of the normal's component

// Sources of the gather, with bounce-back and across periodic faces.
class GatherSources {
 public:
  GatherSources(const PlanInput& lattice, std::span<const PopulationCopy> copies)
      : lattice_(lattice) {
    for (const PopulationCopy& copy : copies) copied_.emplace(copy.to, copy.from);
  }

  [[nodiscard]] std::uint64_t of(std::uint32_t slot, std::uint8_t local, std::size_t i) const {
    const auto& c = lattice_.info.velocities[i];
    const std::int32_t* row =
        &lattice_.order.neighbourTable[std::size_t{slot} * model::neighbourStride];
    const auto bit =
        static_cast<std::size_t>(preprocess::geometry::directionOf(-c[0], -c[1], -c[2]));
    const bool wall =
        row[model::maskEntry] >= 0 &&
        (lattice_.order.masks[static_cast<std::size_t>(row[model::maskEntry]) * tiler::tileNodes +
                              local] >>
             bit &
         1U) != 0;
    if (wall)
      return tiles::indexOfPopulation(
          {slot, local, static_cast<std::uint8_t>(model::opposite(static_cast<int>(i)))},
          lattice_.info);
    const std::uint64_t source =
        tiles::indexOfPopulation(tiles::gatherLocation(lattice_.order, lattice_.geometry, slot,
                                                       local, static_cast<int>(i), lattice_.info),
                                 lattice_.info);
    const auto copy = copied_.find(source);
    return copy == copied_.end() ? source : copy->second;
  }

 private:
  const PlanInput& lattice_;
  std::unordered_map<std::uint64_t, std::uint64_t> copied_;
};

std::size_t axisOf(const tiler::TiledGeometry& geometry, std::size_t opening) {
  const LatticeOpening shape = inLattice(geometry.openings[opening], geometry);
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(shape.normal[a]) > alongAxis) return a;
  stage::fail(
      stage::ExitCode::Usage,
      labelOf(geometry.openings[opening]) +
          ": scheme = \"zou-he\" is for openings across an axis of the lattice, which this one "
          "is not; use scheme = \"link\"");
}

void checkPlanes(const PlanInput& lattice, const std::vector<bool>& chosen,
                 const std::vector<std::size_t>& axes) {
  std::vector<int> plane(chosen.size(), -1);
  std::map<Int3, std::size_t> openingOf;
  for (const tiles::OpeningLink& link : lattice.order.openingLinks) {
    const std::size_t o = link.opening;
    const Int3 node = lattice.geometry.nodeOf(link.tile, link.local);
    const auto [other, first] = openingOf.emplace(node, o);
    const bool shared = other->second != o && (chosen[o] || chosen[other->second]);
    if (chosen[o] && plane[o] < 0) plane[o] = node[axes[o]];
    if (shared || (chosen[o] && plane[o] != node[axes[o]]))
      stage::fail(stage::ExitCode::Usage,
                  labelOf(lattice.geometry.openings[o]) +
                      ": scheme = \"zou-he\" needs nodes on one plane, none of them at "
                      "another opening; use scheme = \"link\"");
  }
}

}  // namespace

std::vector<std::size_t> zouHeAxes(const PlanInput& lattice, const std::vector<bool>& chosen) {
  if (lattice.geometry.isShifted())
    stage::fail(
        stage::ExitCode::Usage,
        "scheme = \"zou-he\" is not available for the shifted tiling; use scheme = \"link\", or "
        "the aligned tiling (tessera-tiler --placement global)");
  std::vector<std::size_t> axes(chosen.size(), 0);
  for (std::size_t o = 0; o < axes.size(); ++o)
    if (chosen[o]) axes[o] = axisOf(lattice.geometry, o);
  checkPlanes(lattice, chosen, axes);
  return axes;
}

std::vector<std::uint64_t> zouHeSources(const PlanInput& lattice, const std::vector<bool>& chosen,
                                        std::span<const PopulationCopy> copies) {
  const GatherSources sources(lattice, copies);
  const std::size_t q = lattice.info.velocities.size();
  const std::vector<tiles::OpeningLink>& links = lattice.order.openingLinks;
  std::vector<std::uint64_t> out(links.size() * q, 0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (!chosen[links[k].opening] || links[k].slot >= tiles::firstFarSlot) continue;
    for (std::size_t i = 0; i < q; ++i)
      out[k * q + i] = sources.of(links[k].slot, links[k].local, i);
  }
  return out;
}

}  // namespace tessera::solver::boundary
