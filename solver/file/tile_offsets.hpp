// SPDX-License-Identifier: GPL-3.0-or-later
// Things of which each tile has some, nodes or links, in the order of the .tiles file: where those
// of a process's own tiles lie among those of all.
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

struct Places {
  std::vector<std::uint64_t> first{};  // of each own tile: the first of its things
  std::vector<std::uint32_t> count{};  // and how many they are
  std::uint64_t all = 0;               // of all tiles of all processes
  [[nodiscard]] std::uint64_t own() const;
};

// One a tile: the tiles themselves. fileTile: own tiles, ascending, out of so many.
Places placesOfTiles(std::span<const std::int32_t> fileTile, std::uint64_t allTiles);
// From what each process counted of its own tiles; each tile is one process's. By all together.
Places placesOf(stage::Processes& processes, std::span<const std::int32_t> fileTile,
                std::uint64_t allTiles, std::vector<std::uint32_t> count);

// The own things' bytes, one tile's after another's, by where they lie in a section of all.
std::vector<stage::ByteRun> byteRuns(const Places& places, std::uint64_t bytesOfOne);
// The same for reading.
std::vector<stage::ElementRange> elementRanges(const Places& places);

// own: of own tiles, one after another; they stay until the container is written. Throws
// std::logic_error when they are not as many as the places.
template <stage::ContainerElement T>
void addPlaced(stage::ContainerWriter& writer, std::string name, const Places& places,
               std::span<const T> own) {
  if (own.size() != places.own()) throw std::logic_error("places do not fit section " + name);
  const auto bytes = std::as_bytes(own);
  writer.addSpread(
      std::move(name), stage::elementTypeOf<T>(), sizeof(T), places.all,
      {byteRuns(places, sizeof(T)), [bytes](std::uint64_t from, std::span<std::byte> target) {
         std::memcpy(target.data(), &bytes[from], target.size());
       }});
}

// A section of all, of which the own tiles' things are read. Throws StageError(BadInput) as
// ContainerReader does.
template <stage::ContainerElement T>
std::vector<T> readPlaced(const stage::ContainerReader& reader, std::string_view name,
                          const Places& places) {
  reader.require<T>(name, places.all);
  return reader.readRanges<T>(name, elementRanges(places));
}

}  // namespace tessera::solver::file
