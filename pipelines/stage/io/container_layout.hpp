// SPDX-License-Identifier: GPL-3.0-or-later
// Records of the container format; container.hpp documents the layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/io/hash.hpp"

namespace tessera::stage::layout {

constexpr std::array<char, 8> headerMagic{'T', 'E', 'S', 'S', 'E', 'R', 'A', '\n'};
constexpr std::array<char, 8> trailerMagic{'T', 'E', 'S', 'S', 'E', 'N', 'D', '\n'};
constexpr std::uint32_t endianMark = 0x0A0B0C0D;
constexpr std::uint64_t chunkBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t alignment = 64;

struct Header {
  std::array<char, 8> magic = headerMagic;
  std::array<char, 8> kind{};
  std::uint32_t endian = endianMark;
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::uint32_t sections = 0;
  std::uint32_t chunkBytes = layout::chunkBytes;
  std::uint64_t checksums = 0;
  std::uint64_t directoryBytes = 0;  // header, section table and checksums
  std::array<std::byte, 16> zeros{};
};
static_assert(sizeof(Header) == 64);

struct SectionRecord {
  std::array<char, 32> name{};
  std::uint32_t type = 0;
  std::uint32_t elementBytes = 0;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t firstChunk = 0;
};
static_assert(sizeof(SectionRecord) == 64);

struct Trailer {
  std::array<char, 8> magic = trailerMagic;
  std::uint64_t containerBytes = 0;
  Hash128 contentHash{};
  Hash128 ownHash{};  // hash of the 32 bytes before
};
static_assert(sizeof(Trailer) == 48);

// Header and section table.
struct Directory {
  Header header;
  std::vector<SectionRecord> table;
};

constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}
constexpr std::uint64_t chunksOf(std::uint64_t bytes) {
  return bytes / chunkBytes + (bytes % chunkBytes == 0 ? 0 : 1);
}

// Byte range of a chunk within its section.
struct ChunkRange {
  std::uint64_t begin;
  std::size_t size;
};
constexpr ChunkRange chunkRange(std::uint64_t chunk, std::uint64_t sectionBytes) {
  const std::uint64_t begin = chunk * chunkBytes;
  const std::uint64_t left = sectionBytes - begin;
  return {begin, static_cast<std::size_t>(left < chunkBytes ? left : chunkBytes)};
}

// Offset of the trailer.
std::uint64_t endOfPayload(const Directory& directory);
Trailer trailerOf(const Directory& directory, std::span<const Hash128> checksums);

}  // namespace tessera::stage::layout
