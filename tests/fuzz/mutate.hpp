// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged variants of valid files, always the same ones: what a broken disk, a cut transfer or a
// hostile hand makes of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::fuzz {

// The variant of this number: one to four damages to one of the seeds, half of them in its first
// 256 bytes, where the counts of most formats are. Damages: bits and bytes changed, numbers in text
// and words in binary replaced by hostile ones, cut short, parts deleted, repeated, moved, taken
// from another seed. At most 64 KiB longer than the largest seed.
std::string mutated(const std::vector<std::string>& seeds, std::uint64_t number);

}  // namespace tessera::fuzz
