// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/probes.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/pressure_tap.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "pipelines/stage/vec3.hpp"
#include "solver/case/reference_point.hpp"

namespace tessera::solver::cases {

using stage::CaseTable;
using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::size_t mostProbes = 1000, longestName = 64;
constexpr double longestLength = 1e9;  // m

// A part of the name of a column.
bool isPlainName(const std::string& name) {
  constexpr std::string_view others = "_-.";
  return !name.empty() && name.size() <= longestName &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  others.find(c) != others.npos;
         });
}

// kind: "probe" or "station".
std::string readName(CaseTable& table, const char* kind, std::size_t number) {
  std::string name = table.text("name").value_or(std::to_string(number));
  if (!isPlainName(name))
    fail(ExitCode::Usage,
         fmt::format("{}: the name of a {} is part of the monitor's columns; letters, digits, "
                     "\"_\", \"-\" and \".\", at most {}, are required",
                     table.where("name"), kind, longestName));
  return name;
}

Double3 readPlace(CaseTable& table, const char* kind) {
  if (!table.has("at"))
    fail(ExitCode::Usage,
         fmt::format("{}: a {} requires its place, at = \"x,y,z\" (world, metres or units)",
                     table.where(), kind));
  if (table.isText("at")) return stage::parsePoint(*table.text("at"), table.where("at"));
  return table.vector("at", stage::Dimension::Length).value_or(Double3{});
}

Probe readEach(CaseTable table, std::size_t number, const Probe&) {
  Probe probe{readName(table, "probe", number), readPlace(table, "probe")};
  table.rejectUnknown();
  return probe;
}

// Unit vector.
Double3 readNormal(CaseTable& table) {
  const auto given = table.vector("normal", stage::Dimension::None);
  const double size = given ? length(*given) : 0.0;
  if (!(size > 0.0) || !std::isfinite(size))
    fail(ExitCode::Usage,
         table.where("normal") +
             ": a station requires the normal of its plane, along which flow is positive, for "
             "instance normal = [0, 0, 1]");
  return (1.0 / size) * *given;
}

Station readEach(CaseTable table, std::size_t number, const Station&) {
  Station station{readName(table, "station", number), readPlace(table, "station"),
                  readNormal(table)};
  station.radius =
      table.quantity("radius", stage::Dimension::Length, 0.0, longestLength).value_or(0.0);
  if (table.has("radius") && !(station.radius > 0.0))
    fail(ExitCode::Usage,
         table.where("radius") +
             ": the radius of a station is 0; a length above 0 is required, or leave it out for "
             "all fluid that is connected in the plane");
  table.rejectUnknown();
  return station;
}

// Entries of [[kind]].
template <class Each>
std::vector<Each> readAll(const stage::CaseFile& file, const char* kind) {
  std::vector<Each> all;
  const auto read = [&](const CaseTable& table) {
    all.push_back(readEach(table, all.size() + 1, Each{}));
    const auto same = [&](const Each& each) { return each.name == all.back().name; };
    if (std::count_if(all.begin(), all.end(), same) > 1)
      fail(ExitCode::Usage, fmt::format("{}: two {}s have the name \"{}\"; names are unique",
                                        table.where("name"), kind, all.back().name));
    if (all.size() > mostProbes)
      fail(ExitCode::Usage, fmt::format("{}: more than {} {}s", table.where(), mostProbes, kind));
  };
  for (const CaseTable& table : file.tables(kind)) file.part([&] { read(table); });
  return all;
}

}  // namespace

std::vector<Probe> readProbes(const stage::CaseFile& file) {
  return readAll<Probe>(file, "probe");
}

std::vector<Station> readStations(const stage::CaseFile& file) {
  return readAll<Station>(file, "station");
}

void checkProbes(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                 comm::Ranks& ranks) {
  const auto require = [&](const auto& all, const char* kind) {
    const std::vector<CaseTable> tables = file.tables(kind);
    for (std::size_t k = 0; k < all.size(); ++k)
      requireInFluid(all[k].at, tables[k].where("at") + ": at", geometry, ranks);
  };
  require(readProbes(file), "probe");
  const std::vector<Station> stations = readStations(file);
  require(stations, "station");
  constexpr double sine = 1e-6;  // of the angle with the plane
  for (std::size_t k = 0; geometry.dimensions == 2 && k < stations.size(); ++k)
    if (std::abs(dot(geometry.frame.axis[2], stations[k].normal)) > sine)
      fail(ExitCode::Usage,
           file.tables("station")[k].where("normal") +
               ": the normal of a station leaves the plane of a geometry in 2D; one within it is "
               "required, for instance normal = [1, 0, 0]");
}

}  // namespace tessera::solver::cases
