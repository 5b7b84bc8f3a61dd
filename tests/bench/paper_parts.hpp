// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and figures of speed of Tomczak & Szafran 2017, measured here. Each part writes a CSV file
// per table and an SVG file per figure with the paper's values: in MFLUPS, and relative to the
// bound by the copy bandwidth of each device.
#pragma once

#include <filesystem>

#include "tests/bench/paper_measure.hpp"

namespace tessera::paper {

using Folder = std::filesystem::path;

// All kernels in both precisions in a closed box.
std::vector<Measured> denseCases(int edge, const Effort& effort);
// Table 3, Figures 14 and 15: closed boxes of 20^3 to 252^3 nodes. Returns all rows.
// Table 3 has sizes beyond the L2 cache only.
std::vector<Measured> cavitySweep(const Folder& folder, const Effort& effort);
// Fastest and largest case of each kernel in f64, as CSV.
std::string tableThree(const std::vector<Measured>& rows);
// Figure 13: steps in 200^3 nodes one by one, and how often each speed comes.
void singleLaunches(const Folder& folder, const Effort& effort);
// Table 4: 100^3 nodes in single precision, XYZ alone and the paper's layouts. (Ours have 2 tiles a
// block, and as many registers as they need.)
void singlePrecision(const Folder& folder, const Effort& effort);
// Table 5: propagation with the paper's layouts. Transactions are for ncu: paper_ncu.sh.
void dataLayouts(const Folder& folder, const Effort& effort);
// Kernels of Table 5 for the profiler (paper_ncu.sh), a few steps each.
void stepLayouts(const Effort& effort);
// Figure 16: propagation in channels of about 10^6 nodes. Of the paper's 1873: cross-sections of 1,
// 2, 4, 8, 16 and 25 tiles a side, long on z; those of one tile on x and y too.
void channels(const Folder& folder, const Effort& effort);
// Tables 6 and 7, and Tables 8 and 9.
std::vector<Measured> spherePacks(const Folder& folder, const Effort& effort);
std::vector<Measured> vessels(const Folder& folder, const Effort& effort);
// Figure 19: speed of the rows relative to the fastest dense case. dense: rows of cavitySweep
// beyond the cache.
void againstUtilisation(const std::vector<Measured>& sparse, const std::vector<Measured>& dense,
                        const Folder& folder);

}  // namespace tessera::paper
