// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes and tiles are painted as pixels; titles, axes and legends are drawn over them.
#include "tiler/picture/tile_picture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/unicode.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

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
      fmt::format("--slice is \"{}\"; expected auto or an axis and a node such as z=12.", text));
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
  const char axis = static_cast<char>('x' + choice.axis);
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("--slice is {0}={1}, but the lattice has nodes {0}=0 to {0}={2}; name one "
                  "of these, or auto.",
                  axis, choice.at, nodes - 1));
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

using tessera::picture::Anchor;
using tessera::picture::colourOf;
using tessera::picture::Drawing;
using tessera::picture::Image;
using tessera::picture::ink;
using tessera::picture::Label;
using tessera::picture::softInk;

namespace {

constexpr double pixelsAUnit = 2.0;
constexpr double margin = 36.0, left = 78.0, below = 52.0, header = 130.0, gap = 92.0;
constexpr double barWidth = 130.0;  // room for the colour bar
constexpr double widest = 1180.0;   // both panels
constexpr double highest = 760.0;   // one panel
constexpr int rim = 1;              // empty nodes around the tiles
constexpr double shownEdge = 2.0;   // units per node from which tile edges are drawn

// Colours by nodeType: solid inside a tile, fluid, wall, opening.
constexpr std::array<tessera::picture::Colour, 4> nodeColour{
    colourOf(0xc9ced4), colourOf(0xaed6f1), colourOf(0x1f5f94), colourOf(0xe07b00)};
constexpr std::array<const char*, 4> nodeName{"solid in a tile", "fluid", "at a wall",
                                              "at an opening"};

// Part of the slice's plane that is drawn, in lattice coordinates.
struct Window {
  int u = 0, v = 0, width = 1, height = 1;
};

Window windowOf(const TileSlice& slice) {
  if (slice.tile.empty()) return {0, 0, 8, 8};
  int u0 = slice.tile.front().u, v0 = slice.tile.front().v, u1 = u0, v1 = v0;
  for (const SlicedTile& tile : slice.tile) {
    u0 = std::min(u0, tile.u);
    v0 = std::min(v0, tile.v);
    u1 = std::max(u1, tile.u + slice.edgeU);
    v1 = std::max(v1, tile.v + slice.edgeV);
  }
  return {u0 - rim, v0 - rim, u1 - u0 + 2 * rim, v1 - v0 + 2 * rim};
}

// Position of a panel on the page and size of a node, in units.
struct Panel {
  Window window;
  double x = 0.0, y = 0.0, node = 1.0;
  [[nodiscard]] double width() const { return node * window.width; }
  [[nodiscard]] double height() const { return node * window.height; }
  [[nodiscard]] double atU(double u) const { return x + node * (u - window.u); }
  // v grows upwards.
  [[nodiscard]] double atV(double v) const { return y + height() - node * (v - window.v); }
};

struct Page {
  double width = 0.0, height = 0.0;
  Panel nodes, tiles;
};

// Whole pixels per node where possible. Panels are placed side by side unless they are much wider
// than high.
Page layOut(const Window& window) {
  const bool stacked = window.width > 2 * window.height;
  const double columns = stacked ? 1.0 : 2.0;
  double pixels = pixelsAUnit * std::min({widest / columns / window.width,
                                          highest / (3.0 - columns) / window.height, 24.0});
  if (pixels >= 1.0) pixels = std::floor(pixels);
  Page page;
  page.nodes = {window, margin + left, header, pixels / pixelsAUnit};
  page.tiles = page.nodes;
  if (stacked)
    page.tiles.y += page.nodes.height() + below + 24.0;
  else
    page.tiles.x += page.nodes.width() + gap;
  page.width = std::max(620.0, page.tiles.x + page.tiles.width() + barWidth);
  page.height = page.tiles.y + std::max(page.tiles.height(), 180.0) + below + margin;
  return page;
}

// Fills lattice coordinates [u, u + width) x [v, v + height) of a panel.
void fill(const Panel& panel, double u, double v, double width, double height,
          const tessera::picture::Colour& colour, Image& image) {
  const auto pixel = [](double units) {
    return static_cast<int>(std::lround(units * pixelsAUnit));
  };
  const int x1 =
      std::min(image.width, std::max(pixel(panel.atU(u + width)), pixel(panel.atU(u)) + 1));
  const int y0 = std::max(0, pixel(panel.atV(v + height)));
  const int y1 = std::min(image.height, std::max(pixel(panel.atV(v)), y0 + 1));
  for (int y = y0; y < y1; ++y)
    for (int x = std::max(0, pixel(panel.atU(u))); x < x1; ++x) image.at(x, y) = colour;
}

void paintNodes(const TileSlice& slice, const Panel& panel, Image& image) {
  for (const SlicedTile& tile : slice.tile)
    for (int v = 0; v < slice.edgeV; ++v)
      for (int u = 0; u < slice.edgeU; ++u) {
        const std::uint8_t type = tile.type[static_cast<std::size_t>(u + slice.edgeU * v)];
        fill(panel, tile.u + u, tile.v + v, 1.0, 1.0, nodeColour[type], image);
      }
}

void paintUtilisation(const TileSlice& slice, const Panel& panel, Image& image) {
  for (const SlicedTile& tile : slice.tile)
    fill(panel, tile.u, tile.v, slice.edgeU, slice.edgeV,
         tessera::picture::mapColour(tessera::picture::ColourMap::Viridis,
                                     tile.nodes / static_cast<double>(tileNodes)),
         image);
}

void drawEdges(const TileSlice& slice, const Panel& panel, const tessera::picture::Colour& colour,
               Drawing& drawing) {
  if (panel.node < shownEdge) return;
  for (const SlicedTile& tile : slice.tile) {
    const double x0 = panel.atU(tile.u), x1 = panel.atU(tile.u + slice.edgeU);
    const double y0 = panel.atV(tile.v), y1 = panel.atV(tile.v + slice.edgeV);
    drawing.add(
        tessera::picture::Stroke{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}, colour, 0.9});
  }
}

// Axes with node coordinates (centres) along two sides.
void drawAxes(const TileSlice& slice, const Panel& panel, Drawing& drawing) {
  constexpr double size = 12.0;
  const double bottom = panel.y + panel.height();
  const auto ticks = [](int first, int nodes, double length) {
    return tessera::picture::linearTicks(first, first + nodes - 1,
                                         std::max(2, static_cast<int>(length / 70.0)));
  };
  for (const tessera::picture::Tick& tick :
       ticks(panel.window.u, panel.window.width, panel.width())) {
    if (tick.value != std::floor(tick.value)) continue;
    const double x = panel.atU(tick.value + 0.5);
    drawing.line({x, bottom}, {x, bottom + 4.0}, softInk);
    drawing.add(Label{{x, bottom + 18.0}, tick.text, size, softInk, Anchor::Middle});
  }
  for (const tessera::picture::Tick& tick :
       ticks(panel.window.v, panel.window.height, panel.height())) {
    if (tick.value != std::floor(tick.value)) continue;
    const double y = panel.atV(tick.value + 0.5);
    drawing.line({panel.x - 4.0, y}, {panel.x, y}, softInk);
    drawing.add(Label{{panel.x - 8.0, y + 0.35 * size}, tick.text, size, softInk, Anchor::End});
  }
  const auto caption = [](int axis) {
    return std::string(1, static_cast<char>('x' + axis)) + " [nodes]";
  };
  drawing.add(Label{{panel.x + panel.width() / 2, bottom + 38.0},
                    caption(slice.axisU),
                    size,
                    ink,
                    Anchor::Middle});
  Label upwards{{panel.x - 46.0, panel.y + panel.height() / 2},
                caption(slice.axisV),
                size,
                ink,
                Anchor::Middle};
  upwards.upwards = true;
  drawing.add(std::move(upwards));
}

void drawLegend(const Panel& panel, Drawing& drawing) {
  double x = panel.x;
  for (std::size_t type : {1U, 2U, 3U, 0U}) {
    drawing.rectangle({x, panel.y - 25.0}, 12.0, 12.0, nodeColour[type]);
    drawing.add(Label{{x + 17.0, panel.y - 14.5}, nodeName[type], 12.0, ink});
    x += 17.0 + 12.0 * tessera::picture::textWidth(nodeName[type], false) + 16.0;
  }
}

void drawBar(const Panel& panel, Drawing& drawing) {
  tessera::picture::ColourBar bar;
  bar.scale = {tessera::picture::ColourMap::Viridis, 0.0, 1.0};
  bar.caption = "non-solid nodes of the tile / 64";
  bar.corner = {panel.x + panel.width() + 24.0, panel.y};
  bar.height = std::clamp(panel.height(), 220.0, 420.0);
  tessera::picture::drawColourBar(bar, drawing);
}

std::string titleOf(const TileSlice& slice) {
  return fmt::format("Tiles at {} = {}", static_cast<char>('x' + slice.choice.axis),
                     slice.choice.at);
}

}  // namespace

Image drawTiles(const TileSlice& slice, const std::string& subtitle) {
  const Page page = layOut(windowOf(slice));
  Image image(static_cast<int>(page.width * pixelsAUnit),
              static_cast<int>(page.height * pixelsAUnit), tessera::picture::white);
  paintNodes(slice, page.nodes, image);
  paintUtilisation(slice, page.tiles, image);

  Drawing drawing{page.width, page.height, {}};
  drawing.add(Label{{margin, 44.0}, titleOf(slice), 22.0, ink, Anchor::Start, true});
  drawing.add(Label{{margin, 68.0}, subtitle, 13.5, softInk});
  drawEdges(slice, page.nodes, ink, drawing);
  drawEdges(slice, page.tiles, tessera::picture::white, drawing);
  drawAxes(slice, page.nodes, drawing);
  drawAxes(slice, page.tiles, drawing);
  drawLegend(page.nodes, drawing);
  drawBar(page.tiles, drawing);
  tessera::picture::paint(drawing, pixelsAUnit, image);
  return image;
}

}  // namespace tessera::tiler::picture
