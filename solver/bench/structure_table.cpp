// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/structure_table.hpp"

#include <algorithm>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "solver/bench/structure_shares.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/domain/column_forms.hpp"
#include "solver/model/moments.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::bench {

using comparators::ComparatorInfo;
using comparators::FluidNodes;
using comparators::NodeOrder;
using comparators::StructureBytes;

namespace {

bool hasMoments(model::LatticeId lattice, unsigned valueBytes) {
  const auto& all = backend::variants();
  return std::any_of(all.begin(), all.end(), [&](const backend::VariantInfo& variant) {
    return variant.storesMoments() && variant.axes.lattice == lattice &&
           variant.axes.precision ==
               (valueBytes == 8 ? model::PrecisionId::F64 : model::PrecisionId::F32);
  });
}

// Empty, with the reason in the log, for a geometry that the structure cannot store.
std::optional<StructureBytes> countedBytes(const ComparatorInfo& info, const FluidNodes& nodes) {
  try {
    return info.count(nodes, {});
  } catch (const stage::StageError& error) {
    if (error.code() != stage::ExitCode::Usage) throw;
    stage::logDetail(info.name + ": " + error.what());
    return std::nullopt;
  }
}

constexpr char structureRow[] = "{:<20} {:>10} {:>11} {:>15} {:>7} {:>11}\n";

// "12,345".
std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

std::vector<StructurePlan> planStructures(const tiler::TiledGeometry& closed,
                                          const StructureWish& wish) {
  const FluidNodes curve(closed, NodeOrder::Curve);
  const FluidNodes rows(closed, NodeOrder::Rows);
  const model::LatticeId lattice = comparators::latticeOf(closed);
  const bool spatial = lattice == model::LatticeId::D3Q19;
  std::vector<StructurePlan> plans;
  const auto add = [&](const std::string& name, const std::optional<StructureBytes>& bytes) {
    const auto share = bytes
                           ? measuredShareOn(closed, name, wish.cuda, wish.valueBytes, bytes->moved)
                           : std::nullopt;
    plans.push_back({name, bytes, share});
  };
  const comparators::TileState populations{
      static_cast<unsigned>(spatial ? model::D3Q19::q : model::D2Q9::q), wish.valueBytes};
  add("tiles", tileBytes(curve, populations));
  if (wish.cuda) add("tiles-in-place", tileBytesInPlace(curve, populations));
  if (hasMoments(lattice, wish.valueBytes)) {
    constexpr unsigned moments = model::moment::count;
    add("tiles-moments", tileBytes(curve, {moments, wish.valueBytes}));
    if (wish.stepsTwice)
      add("tiles-moments-twice", tileBytes(curve, {moments, wish.valueBytes, 2}));
  }
  const auto precision = wish.valueBytes == 8 ? model::PrecisionId::F64 : model::PrecisionId::F32;
  for (const ComparatorInfo& info : comparators::comparatorsOf(closed)) {
    const bool known = plans.back().name == info.name;  // in another order, with the same bytes
    if (info.precision != precision || info.collision != model::CollisionId::Bgk || known) continue;
    add(info.name, countedBytes(info, info.order == NodeOrder::Curve ? curve : rows));
  }
  return plans;
}

std::optional<double> measuredShareOn(const tiler::TiledGeometry& geometry, const std::string& name,
                                      bool cuda, unsigned valueBytes, double movedBytes) {
  if (comparators::latticeOf(geometry) != model::LatticeId::D3Q19) return std::nullopt;
  return measuredShare(name, cuda, valueBytes,
                       {geometry.utilisation(), porosityOf(geometry), movedBytes,
                        cuda ? partsOfPass(geometry, name, valueBytes) : 0.0});
}

double partsOfPass(const tiler::TiledGeometry& geometry, const std::string& name,
                   unsigned valueBytes) {
  const auto layersOf = [&](const domain::ColumnTiles& tiles) {
    return static_cast<double>(domain::columnLayers(geometry.nonEmptyTiles, tiles));
  };
  if (name == "tiles-in-place")
    return tiles::chunksOfPopulations(static_cast<std::uint32_t>(geometry.tiles()), valueBytes);
  if (name == "tiles-moments") return layersOf(domain::columnOfOne);
  if (name == "tiles-moments-twice") return layersOf(domain::columnOfTwo(valueBytes));
  return 0.0;
}

CopyBandwidth expectedBandwidth(const std::vector<StoredSpeed>& stored, bool cuda) {
  const std::string device = deviceOf(cuda);
  for (const StoredSpeed& speed : stored)
    if (speed.device == device && speed.bandwidth > 0.0)
      return {speed.bandwidth, "measured by --bench"};
  if (!cuda) return {copyBandwidthOfCpu(), "by a short copy"};
  const auto found = backend::findDevice();
  if (!found || found->peakBandwidth <= 0.0) return {};
  return {copyShareOfPeak * found->peakBandwidth,
          fmt::format("{:.0f} % of the device's peak", 100.0 * copyShareOfPeak)};
}

double predictedMflups(const StructurePlan& plan, std::uint64_t nodes, double bandwidth) {
  if (!plan.bytes || bandwidth <= 0.0) return 0.0;
  return 1e-6 * plan.share.value_or(1.0) * bandwidth * static_cast<double>(nodes) /
         plan.bytes->moved;
}

std::string structureText(const std::vector<StructurePlan>& plans, std::uint64_t nodes,
                          const CopyBandwidth& bandwidth, bool cuda) {
  std::string text = fmt::format(structureRow, "structure", "memory", "bytes/node",
                                 "moved/node/step", "share", "MFLUPS");
  for (const StructurePlan& plan : plans) {
    if (!plan.bytes) {
      text += fmt::format("{:<20} cannot store this geometry\n", plan.name);
      continue;
    }
    const double speed = predictedMflups(plan, nodes, bandwidth.value);
    const auto perNode = [&](double bytes) {
      return fmt::format("{:.1f}", bytes / static_cast<double>(nodes));
    };
    text += fmt::format(structureRow, plan.name, stage::formatBytes(plan.bytes->held),
                        perNode(plan.bytes->held), perNode(plan.bytes->moved),
                        plan.share ? fmt::format("{:.0f} %", 100.0 * *plan.share) : "-",
                        speed > 0.0 ? (plan.share ? "" : "< ") + grouped(speed) : "-");
  }
  text += bandwidth.value > 0.0
              ? fmt::format("             copy bandwidth {:.4g} GB/s, {}, over the bytes moved,\n",
                            1e-9 * bandwidth.value, bandwidth.source)
              : "             copy bandwidth unknown: tessera-solver --bench step measures it;\n";
  text +=
      "             times the measured share of that bound; - and <: not measured yet,\n"
      "             the bound itself. Openings count as walls\n";
  // tests/bench/RESULTS.md, "Which structures become schemes".
  text += cuda ? "             Runs store whole tiles (--scheme): of the others only lists in\n"
                 "             place in f64 are 10 % faster, or hold 20 % less, on five of ten\n"
                 "             vessels and rocks, and they have no openings yet\n"
               : "             Runs store whole tiles (--scheme): lists in place, which hold\n"
                 "             less on a CPU, were half as fast in a vessel\n";
  return text;
}

}  // namespace tessera::solver::bench
