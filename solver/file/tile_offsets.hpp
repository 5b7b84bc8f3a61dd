// SPDX-License-Identifier: GPL-3.0-or-later
// Per-tile ranges of elements (nodes or links) in the order of the .tiles file: offsets of a
// process's own tiles among all.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/processes.hpp"

namespace tessera::solver::file {

struct TileOffsets {
  std::vector<std::uint64_t> first{};  // first element of each own tile
  std::vector<std::uint32_t> count{};  // its number of elements
  std::uint64_t all = 0;               // elements of all tiles
  [[nodiscard]] std::uint64_t own() const;
};

// Offsets of the tiles themselves, one element each. fileTile: own tiles, ascending, out of
// allTiles.
TileOffsets offsetsOfTiles(std::span<const std::int32_t> fileTile, std::uint64_t allTiles);
// Offsets from each process's counts of its own tiles; each tile belongs to one process.
// Collective.
TileOffsets tileOffsetsOf(stage::Processes& processes, std::span<const std::int32_t> fileTile,
                          std::uint64_t allTiles, std::vector<std::uint32_t> count);

// Positions in a section of all of the own elements' bytes, tile by tile.
std::vector<stage::ByteRun> byteRuns(const TileOffsets& offsets, std::uint64_t bytesOfOne);
// The same as element ranges, for reading.
std::vector<stage::ElementRange> elementRanges(const TileOffsets& offsets);

// Adds a section of all; own: elements of own tiles, valid until the container is written. Throws
// std::logic_error when their number does not match the offsets.
template <stage::ContainerElement T>
void addAtOffsets(stage::ContainerWriter& writer, std::string name, const TileOffsets& offsets,
                  std::span<const T> own) {
  if (own.size() != offsets.own())
    throw std::logic_error("tile offsets do not match section " + name);
  const auto bytes = std::as_bytes(own);
  writer.addSpread(
      std::move(name), stage::elementTypeOf<T>(), sizeof(T), offsets.all,
      {byteRuns(offsets, sizeof(T)), [bytes](std::uint64_t from, std::span<std::byte> target) {
         std::memcpy(target.data(), &bytes[from], target.size());
       }});
}

// Reads the own tiles' elements of a section. Throws StageError(BadInput) as ContainerReader does.
template <stage::ContainerElement T>
std::vector<T> readAtOffsets(const stage::ContainerReader& reader, std::string_view name,
                             const TileOffsets& offsets) {
  reader.require<T>(name, offsets.all);
  return reader.readRanges<T>(name, elementRanges(offsets));
}

}  // namespace tessera::solver::file
