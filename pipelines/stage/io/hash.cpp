// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128 (Collet, xxHash 0.8); the only file that includes xxhash.h.
#define XXH_INLINE_ALL
#include "pipelines/stage/io/hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

Hash128 canonical(XXH128_hash_t hash) {
  XXH128_canonical_t digits;
  XXH128_canonicalFromHash(&digits, hash);
  Hash128 bytes{};
  static_assert(sizeof digits.digest == sizeof bytes);
  std::memcpy(bytes.data(), digits.digest, sizeof bytes);
  return bytes;
}

}  // namespace

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}

Hasher::~Hasher() = default;

void Hasher::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

Hash128 Hasher::digest() const {
  return canonical(XXH3_128bits_digest(&state_->xxh));
}

Hash128 hash128(std::span<const std::byte> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string toHex(const Hash128& hash) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.size());
  for (const std::byte byte : hash) {
    const auto value = std::to_integer<unsigned>(byte);
    text += digits[value >> 4U];
    text += digits[value & 15U];
  }
  return text;
}

Hash128 hashFileRange(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t end) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(ExitCode::BadInput, path.string() + " cannot be opened; check its name and permissions.");
  file.seekg(static_cast<std::streamoff>(begin));
  std::vector<char> buffer(std::size_t{1} << 20U);
  Hasher hasher;
  for (std::uint64_t left = end - begin; left > 0;) {
    const std::uint64_t part = std::min<std::uint64_t>(left, buffer.size());
    file.read(buffer.data(), static_cast<std::streamsize>(part));
    if (!file) {
      fail(ExitCode::BadInput,
           fmt::format("{} ends before byte {}; regenerate the file.", path.string(), end));
    }
    hasher.update(std::as_bytes(std::span(buffer).first(part)));
    left -= part;
  }
  return hasher.digest();
}

std::string hashFile(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    fail(ExitCode::BadInput, fmt::format("{} cannot be read ({}); check its name and permissions.",
                                         path.string(), error.message()));
  }
  return toHex(hashFileRange(path, 0, size));
}

std::string hashBytes(const void* data, std::size_t size) {
  return toHex(hash128({static_cast<const std::byte*>(data), size}));
}

}  // namespace tessera::stage
