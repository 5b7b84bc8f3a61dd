// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that ranks step separately where moments make two steps in a pass.
#pragma once

#include <filesystem>
#include <string>

#include "solver/comm/ranks.hpp"
#include "tests/solver/comm/rank_cases.hpp"

namespace tessera::testing {

// Compares the sets of this rank with those of one that is alone, and the messages between the
// steps with what they are taken for; nothing where passes make one step, since nodes are copied
// across periodic faces. tiles: the file of the case. Returns what is not the same;
// empty: nothing. Collective.
std::string twoStepDifferences(solver::comm::Ranks& ranks, const RankCase& of,
                               const std::filesystem::path& tiles);

}  // namespace tessera::testing
