// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer's own damage, and in one input of eight ours, which gets behind checksums and
// compression.
#include <algorithm>
#include <cstring>

#include "tests/fuzz/fuzz_target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 8 != 0) return LLVMFuzzerMutate(data, size, most);
  static const std::vector<std::string> valid = tessera::fuzz::seeds();
  static const std::vector<tessera::fuzz::Inside> parts = tessera::fuzz::insides();
  const std::string bytes = tessera::fuzz::mutated(valid, parts, seed);
  const std::size_t taken = std::min(bytes.size(), most);
  std::memcpy(data, bytes.data(), taken);
  return taken;
}
