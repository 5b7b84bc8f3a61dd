// SPDX-License-Identifier: GPL-3.0-or-later
// summary.json: the contract's keys, with a schema version.
#pragma once

#include <string>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::write {

// Also what --report holds. SI units; numbers read back to the same double.
std::string summaryJson(const results::Results& results);

}  // namespace tessera::postprocess::write
