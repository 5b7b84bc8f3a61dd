// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/stand_in_geometry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/opening_names.hpp"

namespace tessera::solver {

using preprocess::geometry::Opening;
using stage::CaseTable;
using tiler::TiledGeometry;

namespace {

constexpr std::int64_t mostIds = 32767;  // as the case's own reader

bool hasId(const std::vector<Opening>& openings, std::int64_t id) {
  return std::any_of(openings.begin(), openings.end(),
                     [&](const Opening& opening) { return opening.id == id; });
}

bool hasName(const std::vector<Opening>& openings, const std::string& name) {
  return std::any_of(openings.begin(), openings.end(),
                     [&](const Opening& opening) { return opening.name == name; });
}

void addOpening(int id, const std::string& name, std::vector<Opening>& openings) {
  Opening opening;
  opening.id = id;
  opening.name = name;
  opening.normal = {1.0, 0.0, 0.0};
  opening.radius = 1e-3;
  opening.area = std::numbers::pi * opening.radius * opening.radius;
  openings.push_back(opening);
}

// Openings of ids first; one named "face3" gets the id 3 if it is free.
std::vector<Opening> openingsOf(const stage::CaseFile& file) {
  std::vector<Opening> openings;
  std::vector<std::string> names;
  for (CaseTable& table : file.tables("opening")) {
    const auto name = table.text("name");
    const auto id = table.integer("id", 1, mostIds);
    if (id && !name && !hasId(openings, *id))
      addOpening(static_cast<int>(*id), fmt::format("opening{}", *id), openings);
    if (name && !id) names.push_back(*name);
  }
  int next = 1;
  for (const std::string& name : names) {
    if (hasName(openings, name)) continue;
    const auto numbered = preprocess::geometry::numberedName(name);
    if (numbered && numbered->number >= 1 && numbered->number <= mostIds &&
        !hasId(openings, numbered->number)) {
      addOpening(static_cast<int>(numbered->number), name, openings);
      continue;
    }
    while (hasId(openings, next)) ++next;
    addOpening(next, name, openings);
  }
  std::sort(openings.begin(), openings.end(),
            [](const Opening& a, const Opening& b) { return a.id < b.id; });
  return openings;
}

// A wall by its number or its name.
void addWall(const std::string& text, bool isNumber, std::vector<std::string>& names) {
  std::int64_t number = -1;
  if (isNumber) std::from_chars(text.data(), text.data() + text.size(), number);
  if (number >= 0 && number <= mostIds) {
    while (static_cast<std::int64_t>(names.size()) <= number)
      names.push_back(fmt::format("wall{}", names.size()));
  } else if (std::find(names.begin(), names.end(), text) == names.end()) {
    names.push_back(text);
  }
}

std::vector<std::string> wallsOf(const stage::CaseFile& file) {
  std::vector<std::string> names{"wall"};
  for (const bool numbers : {true, false}) {
    for (CaseTable& table : file.tables("wall")) {
      const auto id = table.integer("id", 0, mostIds);
      const auto name = table.text("name");
      if (numbers && id) addWall(std::to_string(*id), true, names);
      if (!numbers && name) addWall(*name, false, names);
    }
    for (const std::string& text : file.table("forces").textsOrNumbers("walls")) {
      const bool isNumber =
          !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
      if (isNumber == numbers) addWall(text, isNumber, names);
    }
  }
  return names;
}

}  // namespace

TiledGeometry standInGeometry(const stage::CaseFile& file) {
  constexpr int manyNodes = 1 << 20;  // for waves of any length
  TiledGeometry geometry;
  CaseTable solver = file.table("solver");
  const bool flat = solver.isText("lattice") && solver.text("lattice") == "D2Q9";
  geometry.dimensions = flat ? 2 : 3;
  geometry.nodes = {manyNodes, manyNodes, flat ? 1 : manyNodes};
  geometry.frame.spacing = 1e-4;
  geometry.periodic = {true, true, true};
  geometry.openings = openingsOf(file);
  geometry.wallNames = wallsOf(file);
  return geometry;
}

}  // namespace tessera::solver
