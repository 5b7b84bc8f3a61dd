// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <optional>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/opening_names.hpp"
#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

using boundary::Condition;
using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;

namespace {

using Reader = boundary::ConditionReader<Condition>;

std::string knownOpenings(const TiledGeometry& geometry) {
  std::string list;
  for (const preprocess::geometry::Opening& opening : geometry.openings)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", opening.id, opening.name);
  return list.empty() ? "the geometry has no openings" : "the geometry has openings " + list;
}

// A bare id that is also the number in the name of another opening, such as id = 3 where face3 is
// opening 2.
void refuseTwoMeanings(const stage::CaseTable& table, const preprocess::geometry::Opening& meant,
                       const TiledGeometry& geometry) {
  const preprocess::geometry::Opening* other =
      preprocess::geometry::otherMeaningOf(meant.id, geometry.openings);
  if (other == nullptr) return;
  fail(ExitCode::Usage,
       fmt::format("{0}: id = {1} could mean two openings: \"{2}\" has the id {1}, and \"{3}\" has "
                   "the number {1} in its name but the id {4}; use name = \"{2}\" or "
                   "name = \"{3}\"",
                   table.where("id"), meant.id, meant.name, other->name, other->id));
}

// nullopt: noted as missing or wrong.
std::optional<std::size_t> openingIndex(stage::CaseTable& table, const TiledGeometry& geometry) {
  const auto id = table.integer("id", 1, 32767);
  const auto name = table.text("name");
  if (table.refused("id") || table.refused("name")) return std::nullopt;
  if (!id && !name) {
    table.noteMissing("[[opening]] needs id or name; " + knownOpenings(geometry));
    return std::nullopt;
  }
  if (id && name)
    fail(ExitCode::Usage,
         table.where() + ": [[opening]] needs either id or name; " + knownOpenings(geometry));
  const auto found = std::find_if(geometry.openings.begin(), geometry.openings.end(),
                                  [&](const preprocess::geometry::Opening& opening) {
                                    return id ? opening.id == *id : opening.name == *name;
                                  });
  if (found == geometry.openings.end())
    fail(ExitCode::Usage, fmt::format("{}: the geometry has no opening {}; {}", table.where(),
                                      id ? fmt::format("{}", *id) : fmt::format("\"{}\"", *name),
                                      knownOpenings(geometry)));
  if (id) refuseTwoMeanings(table, *found, geometry);
  return static_cast<std::size_t>(found - geometry.openings.begin());
}

// "a", "b" or "c".
std::string quotedKinds() {
  std::vector<std::string> names = Reader::names();
  for (std::string& name : names) name = fmt::format("\"{}\"", name);
  return stage::enumeration(names, " or ");
}

// nullopt: noted as missing or wrong.
std::optional<std::string> kindOf(stage::CaseTable& table) {
  const auto kind = table.word("kind", Reader::names());
  if (!kind && !table.refused("kind"))
    table.noteMissing("[[opening]] needs kind = " + quotedKinds());
  return kind;
}

Condition readCondition(boundary::OpeningTable& from, const std::string& kind) {
  stage::CaseTable& table = from.table;
  Condition condition = Reader::read(kind, from);
  if (!table.refused("profile")) table.rejectUnknown();  // a profile has keys of its own
  return condition;
}

// Notes openings without a table; one that lacks its id may be theirs.
void noteOpeningsLeft(const stage::CaseFile& file, const TiledGeometry& geometry,
                      const std::vector<bool>& given) {
  std::vector<std::string> left;
  for (std::size_t k = 0; k < given.size(); ++k)
    if (!given[k]) left.push_back(boundary::labelOf(geometry.openings[k]));
  if (left.size() == 1)
    file.noteMissing(left[0] +
                     " has no condition; add an [[opening]] with its id, and kind = \"pressure\" "
                     "or \"velocity\"");
  if (left.size() > 1)
    file.noteMissing(stage::enumeration(left) +
                     " have no conditions; add an [[opening]] for each, with its id, and kind = "
                     "\"pressure\" or \"velocity\"");
}

void requirePressure(const stage::CaseFile& file, const std::vector<Condition>& conditions) {
  const bool allWalls =
      std::all_of(conditions.begin(), conditions.end(), boundary::isWall);  // or no opening
  const bool anyPressure =
      std::any_of(conditions.begin(), conditions.end(), [](const Condition& condition) {
        return boundary::prescribesPressure(condition) || boundary::isCoupled(condition);
      });
  if (!allWalls && !anyPressure)
    fail(ExitCode::Usage,
         file.name() +
             ": no opening prescribes a pressure, so the pressure "
             "level is undefined and mass cannot leave; make one a pressure opening");
}

}  // namespace

std::vector<Condition> readOpenings(const stage::CaseFile& file, const TiledGeometry& geometry) {
  std::vector<bool> given(geometry.openings.size(), false);
  std::vector<Condition> conditions(geometry.openings.size());
  bool isEachKnown = true;
  const auto read = [&](stage::CaseTable& table) {
    std::optional<std::size_t> k;
    file.part([&] { k = openingIndex(table, geometry); });
    isEachKnown = isEachKnown && (k || !(table.has("id") || table.has("name")));
    const std::optional<std::string> kind = kindOf(table);
    if (!k) return;
    if (given[*k])
      fail(ExitCode::Usage, fmt::format("{}: opening {} has a condition already", table.where(),
                                        geometry.openings[*k].id));
    given[*k] = true;
    if (!kind) return;
    boundary::OpeningTable from{table, geometry.openings[*k], geometry};
    conditions[*k] = readCondition(from, *kind);
  };
  for (stage::CaseTable& table : file.tables("opening")) file.part([&] { read(table); });
  // One whose id or name is wrong may be of an opening that is left.
  if (isEachKnown) noteOpeningsLeft(file, geometry, given);
  if (file.hasMistakes()) return conditions;
  completeSplits(file.name(), geometry, conditions);
  requirePressure(file, conditions);
  return conditions;
}

void completeSplits(const std::string& caseName, const TiledGeometry& geometry,
                    std::vector<Condition>& conditions) {
  std::vector<boundary::SplitOpening> openings;
  for (std::size_t k = 0; k < conditions.size(); ++k)
    openings.push_back({geometry.openings[k], boundary::prescriptionOf(conditions[k]),
                        std::get_if<boundary::OutflowSplit>(&conditions[k])});
  boundary::splitOutflow(caseName, geometry.dimensions, openings);
}

}  // namespace tessera::solver::cases
