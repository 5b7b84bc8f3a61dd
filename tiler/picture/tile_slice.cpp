// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/picture/tile_slice.hpp"

#include <algorithm>
#include <charconv>

#include "pipelines/stage/error.hpp"

namespace tessera::tiler::picture {

namespace {

// Coordinate of a tile's first node on an axis.
int firstNode(const TiledGeometry& tiled, std::size_t tile, std::size_t axis) {
  return tiled.cornerOf(tiled.nonEmptyTiles[tile])[axis];
}

int localOnAxis(const TiledGeometry& tiled, int local, std::size_t axis) {
  const Int3& size = tiled.tileSize;
  if (axis == 0) return local % size[0];
  return axis == 1 ? local / size[0] % size[1] : local / (size[0] * size[1]);
}

SlicedTile cutTile(const TiledGeometry& tiled, std::size_t tile, const TileSlice& slice) {
  const auto u = static_cast<std::size_t>(slice.axisU), v = static_cast<std::size_t>(slice.axisV);
  const auto axis = static_cast<std::size_t>(slice.choice.axis);
  const int layer = slice.choice.at - firstNode(tiled, tile, axis);
  SlicedTile cut{firstNode(tiled, tile, u), firstNode(tiled, tile, v), 0, {}};
  cut.type.resize(static_cast<std::size_t>(slice.edgeU * slice.edgeV));
  for (int l = 0; l < tileNodes; ++l) {
    const std::uint8_t type = tiled.nodeType[tile * tileNodes + static_cast<std::size_t>(l)];
    cut.nodes += type != 0;
    if (localOnAxis(tiled, l, axis) == layer)
      cut.type[static_cast<std::size_t>(localOnAxis(tiled, l, u) +
                                        slice.edgeU * localOnAxis(tiled, l, v))] = type;
  }
  return cut;
}

}  // namespace

std::optional<SliceChoice> parseSlice(const std::string& text) {
  if (text == "auto") return std::nullopt;
  SliceChoice choice;
  const char* const end = text.data() + text.size();
  if (text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == '=') {
    choice.axis = text[0] - 'x';
    const auto [next, error] = std::from_chars(text.data() + 2, end, choice.at);
    if (error == std::errc{} && next == end) return choice;
  }
  stage::fail(
      stage::ExitCode::Usage,
      "--slice was given \"" + text + "\", expected is auto or an axis and a node such as z=12.");
}

SliceChoice fullestSlice(const TiledGeometry& tiled) {
  const int axis = tiled.dimensions == 2 ? 2 : tiled.slowestAxis;
  const auto a = static_cast<std::size_t>(axis);
  std::vector<std::uint64_t> nodes(static_cast<std::size_t>(tiled.nodes[a]));
  for (std::size_t t = 0; t < tiled.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l)
      if (tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] != 0)
        ++nodes[static_cast<std::size_t>(firstNode(tiled, t, a) + localOnAxis(tiled, l, a))];
  return {axis, static_cast<int>(std::max_element(nodes.begin(), nodes.end()) - nodes.begin())};
}

void requireInside(const SliceChoice& choice, const TiledGeometry& tiled) {
  const int nodes = tiled.nodes[static_cast<std::size_t>(choice.axis)];
  if (choice.at >= 0 && choice.at < nodes) return;
  const std::string axis(1, static_cast<char>('x' + choice.axis));
  stage::fail(stage::ExitCode::Usage,
              "--slice was given " + axis + "=" + std::to_string(choice.at) +
                  " and the lattice has nodes " + axis + "=0 to " + axis + "=" +
                  std::to_string(nodes - 1) + "; name one of these, or auto.");
}

TileSlice sliceTiles(const TiledGeometry& tiled, const SliceChoice& choice) {
  TileSlice slice{choice, choice.axis == 0 ? 1 : 0, choice.axis == 2 ? 1 : 2, 0, 0, {}};
  slice.edgeU = tiled.tileSize[static_cast<std::size_t>(slice.axisU)];
  slice.edgeV = tiled.tileSize[static_cast<std::size_t>(slice.axisV)];
  const auto a = static_cast<std::size_t>(choice.axis);
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    const int first = firstNode(tiled, t, a);
    if (choice.at >= first && choice.at < first + tiled.tileSize[a])
      slice.tile.push_back(cutTile(tiled, t, slice));
  }
  return slice;
}

}  // namespace tessera::tiler::picture
