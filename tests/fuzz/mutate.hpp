// SPDX-License-Identifier: GPL-3.0-or-later
// Reproducibly damaged variants of valid files: broken disks, cut transfers, hostile edits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::fuzz {

// A part of a valid file that is damaged alone, behind a header, a checksum or a compression that
// would refuse nearly all other damage.
struct Inside {
  std::string bytes;
  std::function<std::string(const std::string&)> wrap;  // from these bytes, damaged, to a file
};

// Part between the first "from" and the next "to" of a file; with one of them empty all before or
// behind the other. Aborts when they are missing.
Inside insideOf(const std::string& file, const std::string& from, const std::string& to);

// The variant of this number: one to four damages to one of the seeds, or as often to one of the
// insides, half of them in its first 256 bytes, where the counts of most formats are. Damages: bits
// and bytes changed, numbers in text and words in binary replaced by hostile ones, cut short, parts
// deleted, repeated, moved, taken from another seed. At most 64 KiB longer than the largest seed.
std::string mutated(const std::vector<std::string>& seeds, const std::vector<Inside>& insides,
                    std::uint64_t number);

}  // namespace tessera::fuzz
