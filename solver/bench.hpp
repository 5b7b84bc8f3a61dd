// SPDX-License-Identifier: GPL-3.0-or-later
// --bench: how fast this machine is, on a geometry's own tiles and without a case.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tiler/tiles_file.hpp"

namespace tessera {

// operation "copy": the copy bandwidth. "step": MFLUPS of every variant (of one precision when
// given), all openings closed, as medians with spread over repeated runs, with the fraction of the
// bound that the copy bandwidth, measured before each of them, allows. CSV with a header. On a CPU
// the state should be several times the last cache: what lies in it is faster than memory.
std::string runBench(const std::string& operation, const TilesFile& tiles,
                     const std::string& backend, const std::optional<std::string>& precision);

// "step" of several tilings of one geometry one after the other, for the variants that are there
// both for one mesh and for tiles in rows.
std::string benchPlacements(std::span<const TilesFile> tilings, const std::string& backend,
                            const std::optional<std::string>& precision);

}  // namespace tessera
