// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128, the checksum of every Tessera file. Bytes are in xxHash's canonical (big endian) order,
// so the hexadecimal digits are those of `xxh128sum`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tessera::stage {

using Hash128 = std::array<std::byte, 16>;

Hash128 hash128(std::span<const std::byte> bytes);
std::string toHex(const Hash128& hash);  // 32 lowercase digits

// Hash of the bytes [begin, end) of a file, streamed. Throws StageError(BadInput) if it cannot be
// opened or is shorter.
Hash128 hashFileRange(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t end);

// Incremental hash.
class Hasher {
 public:
  Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::stage
