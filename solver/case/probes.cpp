// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/probes.hpp"

#include <algorithm>

#include "pipelines/stage/case/pressure_tap.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/case/reference_point.hpp"

namespace tessera::solver::cases {

using stage::CaseTable;
using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::size_t mostProbes = 1000, longestName = 64;

// A part of the name of a column.
bool isPlainName(const std::string& name) {
  constexpr std::string_view others = "_-.";
  return !name.empty() && name.size() <= longestName &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  others.find(c) != others.npos;
         });
}

Probe readProbe(CaseTable table, std::size_t number) {
  Probe probe{table.text("name").value_or(std::to_string(number)), {}};
  if (!isPlainName(probe.name))
    fail(ExitCode::Usage,
         fmt::format("{}: the name of a probe is part of the monitor's columns; letters, digits, "
                     "\"_\", \"-\" and \".\", at most {}, are required",
                     table.where("name"), longestName));
  if (!table.has("at"))
    fail(ExitCode::Usage,
         table.where() + ": a probe requires its place, at = \"x,y,z\" (world, metres or units)");
  if (table.isText("at"))
    probe.at = stage::parsePoint(*table.text("at"), table.where("at"));
  else
    probe.at = table.vector("at", stage::Dimension::Length).value_or(probe.at);
  table.rejectUnknown();
  return probe;
}

}  // namespace

std::vector<Probe> readProbes(const stage::CaseFile& file) {
  std::vector<Probe> probes;
  for (const CaseTable& table : file.tables("probe")) {
    probes.push_back(readProbe(table, probes.size() + 1));
    const auto same = [&](const Probe& probe) { return probe.name == probes.back().name; };
    if (std::count_if(probes.begin(), probes.end(), same) > 1)
      fail(ExitCode::Usage, fmt::format("{}: two probes have the name \"{}\"; names are unique",
                                        table.where("name"), probes.back().name));
    if (probes.size() > mostProbes)
      fail(ExitCode::Usage, fmt::format("{}: more than {} probes", table.where(), mostProbes));
  }
  return probes;
}

void checkProbes(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                 comm::Ranks& ranks) {
  const std::vector<Probe> probes = readProbes(file);
  const std::vector<CaseTable> tables = file.tables("probe");
  for (std::size_t k = 0; k < probes.size(); ++k)
    requireInFluid(probes[k].at, tables[k].where("at") + ": at", geometry, ranks);
}

}  // namespace tessera::solver::cases
