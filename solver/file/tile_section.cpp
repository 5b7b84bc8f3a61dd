// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/tile_section.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "preprocess/file/node_types.hpp"

namespace tessera::solver::file {

namespace {

// One tile in the order of the file.
void copyTile(const TileLayout& layout, std::span<const std::byte> bySlot, std::uint64_t tile,
              std::byte* target) {
  const std::uint64_t tileBytes = layout.tileBytes();
  std::memcpy(target, &bySlot[layout.slotOfTile[tile] * tileBytes], tileBytes);
  for (std::size_t l = 0; l < 64; ++l)
    if (layout.nodeType[64 * tile + l] ==
        static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
      for (std::size_t v = 0; v < layout.values; ++v)
        std::memset(target + (64 * v + l) * layout.bytes, 0, layout.bytes);
}

// Bytes begin .. begin + target.size() of the section, which need not be whole tiles.
void copyRange(const TileLayout& layout, std::span<const std::byte> bySlot, std::uint64_t begin,
               std::span<std::byte> target) {
  const std::uint64_t tileBytes = layout.tileBytes();
  std::vector<std::byte> whole(tileBytes);
  for (std::uint64_t done = 0; done < target.size();) {
    const std::uint64_t tile = (begin + done) / tileBytes;
    const std::uint64_t from = (begin + done) % tileBytes;
    const std::uint64_t count = std::min(tileBytes - from, target.size() - done);
    if (count == tileBytes) {
      copyTile(layout, bySlot, tile, &target[done]);
    } else {
      copyTile(layout, bySlot, tile, whole.data());
      std::memcpy(&target[done], &whole[from], count);
    }
    done += count;
  }
}

// Values of so many of these tiles in the section.
std::vector<stage::ElementRange> rangesOf(const TileLayout& layout, std::uint64_t first,
                                          std::uint64_t count, std::uint64_t perTile) {
  if (layout.own == nullptr) return {{first * perTile, count * perTile}};
  std::vector<stage::ElementRange> ranges;
  for (std::uint64_t k = first; k < first + count; ++k) {
    const std::uint64_t begin = layout.own->first[k] * perTile;
    if (!ranges.empty() && ranges.back().first + ranges.back().count == begin)
      ranges.back().count += perTile;
    else
      ranges.push_back({begin, perTile});
  }
  return ranges;
}

template <class Value>
void readAs(const stage::ContainerReader& reader, const std::string& name, const TileLayout& layout,
            std::span<std::byte> bySlot) {
  const std::uint64_t perTile = std::uint64_t{64} * layout.values;
  const std::uint64_t tiles = layout.slotOfTile.size();
  const std::uint64_t inFile = layout.own != nullptr ? layout.own->all : tiles;
  reader.require<Value>(name, perTile * inFile);
  const std::uint64_t atATime = std::max<std::uint64_t>(1, (std::uint64_t{1} << 22U) / perTile);
  for (std::uint64_t first = 0; first < tiles; first += atATime) {
    const std::uint64_t count = std::min(atATime, tiles - first);
    const auto values = reader.readRanges<Value>(name, rangesOf(layout, first, count, perTile));
    for (std::uint64_t t = 0; t < count; ++t)
      std::memcpy(&bySlot[layout.slotOfTile[first + t] * layout.tileBytes()], &values[t * perTile],
                  layout.tileBytes());
  }
}

}  // namespace

void addTileSection(stage::ContainerWriter& writer, std::string name, const TileLayout& layout,
                    std::span<const std::byte> bySlot) {
  const stage::ElementType type =
      layout.bytes == 2 ? stage::ElementType::Unsigned : stage::ElementType::Float;
  auto copy = [layout, bySlot](std::uint64_t begin, std::span<std::byte> target) {
    copyRange(layout, bySlot, begin, target);
  };
  if (layout.own == nullptr)
    writer.addMade(std::move(name), type, layout.bytes, layout.size() / layout.bytes,
                   std::move(copy));
  else
    writer.addSpread(std::move(name), type, layout.bytes,
                     layout.own->all * layout.tileBytes() / layout.bytes,
                     {byteRuns(*layout.own, layout.tileBytes()), std::move(copy)});
}

void readTileSection(const stage::ContainerReader& reader, const std::string& name,
                     const TileLayout& layout, std::span<std::byte> bySlot) {
  switch (layout.bytes) {
    case 2:
      return readAs<std::uint16_t>(reader, name, layout, bySlot);
    case 4:
      return readAs<float>(reader, name, layout, bySlot);
    default:
      return readAs<double>(reader, name, layout, bySlot);
  }
}

}  // namespace tessera::solver::file
