// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in the names of openings: "face3", "cap_3", "3".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess::geometry {

struct NumberedName {
  std::string stem;  // may be empty
  std::int64_t number = 0;
};

// A name that ends in one to nine digits; no side of a box ("x-1").
std::optional<NumberedName> numberedName(const std::string& name);

// Whether every opening's name ends in a number of its own, all after the same stem: ids then
// follow these numbers.
bool areNumbered(std::span<const Opening> openings);

// Another opening that a bare id may mean: its name ends in that number, after the stem of the name
// of the opening with that id, or after one that the program itself numbers ("face3", "opening3",
// "3"). nullptr: the id is unambiguous, or no opening has it.
const Opening* otherMeaningOf(std::int64_t id, std::span<const Opening> openings);

}  // namespace tessera::preprocess::geometry
