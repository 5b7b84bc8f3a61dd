// SPDX-License-Identifier: GPL-3.0-or-later
// Storage schemes of runs: a name for what is stored of a node and in how many copies. Whole tiles
// of 64 nodes in each; other structures are for measurements (solver/comparators). The list of
// names: --scheme, [solver] scheme, messages and plans read it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/model/axes.hpp"

namespace tessera::solver::cases {

struct Scheme {
  const char* name;
  model::StateId state;
  int copies;  // 1: the in-place update
};

inline constexpr std::array schemes =
    std::to_array<Scheme>({{"tile-populations", model::StateId::Populations, 2},
                           {"tile-populations-in-place", model::StateId::Populations, 1},
                           {"tile-moments", model::StateId::Moments, 2},
                           {"tile-moments-in-place", model::StateId::Moments, 1}});

constexpr const Scheme& schemeOf(model::StateId state, int copies) {
  for (const Scheme& scheme : schemes)
    if (scheme.state == state && scheme.copies == copies) return scheme;
  return schemes.front();
}
constexpr std::optional<Scheme> schemeNamed(std::string_view name) {
  for (const Scheme& scheme : schemes)
    if (scheme.name == name) return scheme;
  return std::nullopt;
}

// "auto", which leaves the state to the program, and the names of states.
inline std::vector<std::string> stateWords() {
  std::vector<std::string> words = model::allNames<model::StateId>();
  words.insert(words.begin(), "auto");
  return words;
}
// "auto", which leaves state and copies to their own settings, and the names of schemes.
inline std::vector<std::string> schemeWords() {
  std::vector<std::string> words{"auto"};
  for (const Scheme& scheme : schemes) words.emplace_back(scheme.name);
  return words;
}

// Names of those that `fits` accepts, for a message: "tile-populations, tile-moments".
template <class Fits>
std::string schemesThat(const Fits& fits) {
  std::string names;
  for (const Scheme& scheme : schemes)
    if (fits(scheme)) names += (names.empty() ? "" : ", ") + std::string(scheme.name);
  return names;
}

}  // namespace tessera::solver::cases
