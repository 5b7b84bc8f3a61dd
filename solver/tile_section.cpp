// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tile_section.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "preprocess/lattice/lattice_file.hpp"

namespace tessera {

namespace {

// One tile in the order of the file.
void copyTile(const TileLayout& layout, std::span<const std::byte> bySlot, std::uint64_t tile,
              std::byte* target) {
  const std::uint64_t tileBytes = layout.tileBytes();
  std::memcpy(target, &bySlot[layout.slotOfTile[tile] * tileBytes], tileBytes);
  if (layout.nodeType.empty()) return;
  for (std::size_t l = 0; l < 64; ++l)
    if (layout.nodeType[64 * tile + l] == static_cast<std::uint8_t>(NodeType::Solid))
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

template <class Value>
void readAs(const ContainerReader& reader, const std::string& name, const TileLayout& layout,
            std::span<std::byte> bySlot) {
  const std::uint64_t perTile = std::uint64_t{64} * layout.values;
  const std::uint64_t tiles = layout.slotOfTile.size();
  reader.require<Value>(name, perTile * tiles);
  const std::uint64_t atATime = std::max<std::uint64_t>(1, (std::uint64_t{1} << 24U) / perTile);
  for (std::uint64_t first = 0; first < tiles; first += atATime) {
    const std::uint64_t count = std::min(atATime, tiles - first);
    const auto slots = layout.slotOfTile.subspan(first, count);
    if (std::all_of(slots.begin(), slots.end(),
                    [](std::uint32_t slot) { return slot == TileLayout::noSlot; }))
      continue;
    const auto values = reader.readRange<Value>(name, first * perTile, count * perTile);
    for (std::uint64_t t = 0; t < count; ++t)
      if (slots[t] != TileLayout::noSlot)
        std::memcpy(&bySlot[slots[t] * layout.tileBytes()], &values[t * perTile],
                    layout.tileBytes());
  }
}

}  // namespace

void addTileSection(ContainerWriter& writer, std::string name, const TileLayout& layout,
                    std::span<const std::byte> bySlot) {
  writer.addMade(std::move(name), layout.bytes == 2 ? ElementType::Unsigned : ElementType::Float,
                 layout.bytes, layout.size() / layout.bytes,
                 [layout, bySlot](std::uint64_t begin, std::span<std::byte> target) {
                   copyRange(layout, bySlot, begin, target);
                 });
}

std::vector<std::byte> inFileOrder(const TileLayout& layout, std::span<const std::byte> bySlot) {
  std::vector<std::byte> out(layout.size());
  std::uint64_t at = 0;
  for (std::uint64_t t = 0; t < layout.slotOfTile.size(); ++t) {
    if (layout.slotOfTile[t] == TileLayout::noSlot) continue;
    copyTile(layout, bySlot, t, &out[at]);
    at += layout.tileBytes();
  }
  return out;
}

void readTileSection(const ContainerReader& reader, const std::string& name,
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

}  // namespace tessera
