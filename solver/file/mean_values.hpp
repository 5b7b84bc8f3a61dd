// SPDX-License-Identifier: GPL-3.0-or-later
// Values per node that are summed over a cycle and kept in checkpoints.
#pragma once

#include <cstdint>

namespace tessera::solver::file {

constexpr std::uint64_t meanValues = 4;  // r, u[3]

}  // namespace tessera::solver::file
