// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/image.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/sample/random.hpp"

namespace tessera::preprocess::sample {

std::size_t SampleImage::index(int x, int y, int z) const {
  return static_cast<std::size_t>(x) +
         static_cast<std::size_t>(size[0]) *
             (static_cast<std::size_t>(y) +
              static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
}

double SampleImage::porosity() const {
  const auto pore = std::count(value.begin(), value.end(), poreValue);
  return static_cast<double>(pore) / static_cast<double>(value.size());
}

SampleImage sampleBoxImage(const Int3& size) {
  double product = 1.0;
  for (int s : size) product *= s;
  if (std::min({size[0], size[1], size[2]}) < 1 || product > 1e11)
    stage::fail(stage::ExitCode::Usage,
                "--size must be at least 1 voxel on each axis and 10^11 in total.");
  SampleImage image{size, {}};
  image.value.assign(image.index(0, 0, size[2]), poreValue);
  return image;
}

SampleImage sampleChannelImage(int length, int height) {
  if (height < 3)
    stage::fail(stage::ExitCode::Usage, "--size must have at least 3 rows: two walls and a pore.");
  SampleImage image = sampleBoxImage({length, height, 1});
  const auto wall = static_cast<std::ptrdiff_t>(length);
  std::fill(image.value.begin(), image.value.begin() + wall, solidValue);
  std::fill(image.value.end() - wall, image.value.end(), solidValue);
  return image;
}

SampleImage sampleExpansionImage(const ExpansionPicture& shape) {
  SampleImage image = sampleChannelImage(shape.size[0], shape.size[1]);
  const int open = shape.size[1] - 2;
  int narrow = static_cast<int>(std::lround(open / shape.ratio));
  if (!shape.oneSided && (open - narrow) % 2 != 0) --narrow;  // centred on whole pixels
  if (narrow < 1 || narrow >= open || shape.step < 1 || shape.step >= shape.size[0])
    stage::fail(stage::ExitCode::Usage,
                fmt::format("the expansion does not fit: of {} open rows from --size, --ratio "
                            "leaves {} before the step, and --step must be from 1 to {}.",
                            open, narrow, shape.size[0] - 1));
  const int first = shape.oneSided ? 1 : 1 + (open - narrow) / 2;
  for (int y = 1; y <= open; ++y)
    for (int x = 0; x < shape.step; ++x)
      if (y < first || y >= first + narrow) image.value[image.index(x, y, 0)] = solidValue;
  return image;
}

namespace {
struct Channel {
  std::size_t from = 0;  // nodes
  std::size_t to = 0;
  double width = 0.0;  // pixels
};

struct Graph {
  std::vector<std::array<double, 2>> node;  // pixels
  std::vector<Channel> channel;
  std::size_t left = 0;  // first node on the left side; rows of them, then the right ones
};

void requireNetwork(const NetworkShape& shape) {
  if (shape.cell < 6 || shape.cells[0] * double(shape.cell) * shape.cells[1] * shape.cell > 4e9)
    stage::fail(stage::ExitCode::Usage,
                "--cell must be at least 6 pixels, and the image at most 4*10^9.");
  if (!(shape.width >= 2.0) || shape.width > 0.6 * shape.cell)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--width must be from 2 pixels to 0.6 x --cell ({} pixels).",
                            static_cast<int>(0.6 * shape.cell)));
}

// Centre of a strip of about this width that covers whole pixels.
double wholePixels(double centre, double width) {
  return std::floor(centre - 0.5 * width) + 0.5 * width + 0.5;
}

Graph makeGraph(const NetworkShape& shape, Random& random) {
  Graph graph;
  const int nx = shape.cells[0];
  const int ny = shape.cells[1];
  const auto at = [&](int i, int j) { return static_cast<std::size_t>(i + nx * j); };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const auto moved = [&] {
        return shape.jitter > 0.0 ? shape.jitter * (2.0 * random.unitInterval() - 1.0) : 0.0;
      };
      const double x = (i + 0.5 + moved()) * shape.cell - 0.5;
      const double y = (j + 0.5 + moved()) * shape.cell - 0.5;
      graph.node.push_back({wholePixels(x, shape.width), wholePixels(y, shape.width)});
    }
  graph.left = graph.node.size();
  for (int j = 0; j < ny; ++j) graph.node.push_back({-shape.width, graph.node[at(0, j)][1]});
  for (int j = 0; j < ny; ++j)
    graph.node.push_back({nx * shape.cell + shape.width, graph.node[at(nx - 1, j)][1]});
  const auto join = [&](std::size_t a, std::size_t b) { graph.channel.push_back({a, b, 0.0}); };
  for (int j = 0; j < ny; ++j) {
    const auto row = static_cast<std::size_t>(j);
    join(graph.left + row, at(0, j));
    for (int i = 0; i + 1 < nx; ++i) join(at(i, j), at(i + 1, j));
    join(at(nx - 1, j), graph.left + static_cast<std::size_t>(ny) + row);
    for (int i = 0; i < nx && j + 1 < ny; ++i) join(at(i, j), at(i, j + 1));
  }
  return graph;
}

// Log-normal width of given mean and deviation, at least 2 pixels and narrow enough for a wall
// between neighbours.
double drawWidth(const NetworkShape& shape, Random& random) {
  if (shape.spread == 0.0) return shape.width;
  const double variance = std::log1p(shape.spread * shape.spread);
  const double drawn =
      shape.width * std::exp(std::sqrt(variance) * random.normal() - 0.5 * variance);
  return std::clamp(drawn, 2.0, 0.8 * shape.cell);
}

// Channels in random order: the requested part, and more until left and right are connected.
std::vector<Channel> chooseChannels(const NetworkShape& shape, const Graph& graph, Random& random) {
  std::vector<Channel> all = graph.channel;
  for (Channel& channel : all) channel.width = drawWidth(shape, random);
  shuffle(all, random);
  const auto required =
      static_cast<std::size_t>(std::lround(shape.keep * static_cast<double>(all.size())));
  const auto rows = static_cast<std::size_t>(shape.cells[1]);
  const std::size_t leftSide = graph.node.size();
  const std::size_t rightSide = leftSide + 1;
  geometry::DisjointSets<> joined(graph.node.size() + 2);
  for (std::size_t j = 0; j < rows; ++j) {
    joined.join(graph.left + j, leftSide);
    joined.join(graph.left + rows + j, rightSide);
  }
  std::size_t used = 0;
  while (used < required || joined.root(leftSide) != joined.root(rightSide)) {
    joined.join(all[used].from, all[used].to);
    ++used;
  }
  all.resize(used);
  return all;
}

void cutChannel(SampleImage& image, const std::array<double, 2>& a, const std::array<double, 2>& b,
                double width) {
  const double radius = 0.5 * width;
  const double dx = b[0] - a[0];
  const double dy = b[1] - a[1];
  const double square = std::max(dx * dx + dy * dy, 1e-12);
  const auto bound = [&](double value, int n) {
    return std::clamp(static_cast<int>(value), 0, n - 1);
  };
  const int lastX = bound(std::max(a[0], b[0]) + radius + 1.0, image.size[0]);
  const int lastY = bound(std::max(a[1], b[1]) + radius + 1.0, image.size[1]);
  for (int y = bound(std::min(a[1], b[1]) - radius, image.size[1]); y <= lastY; ++y)
    for (int x = bound(std::min(a[0], b[0]) - radius, image.size[0]); x <= lastX; ++x) {
      const double along = std::clamp(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0.0, 1.0);
      const double distance = std::hypot(x - a[0] - along * dx, y - a[1] - along * dy);
      if (distance < radius) image.value[image.index(x, y, 0)] = poreValue;
    }
}

// Makes pores solid that are not connected to the left side.
void keepConnectedToLeft(SampleImage& image) {
  constexpr std::uint8_t reached = 2;
  std::vector<std::array<int, 2>> todo;
  const auto visit = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= image.size[0] || y >= image.size[1]) return;
    std::uint8_t& value = image.value[image.index(x, y, 0)];
    if (value != poreValue) return;
    value = reached;
    todo.push_back({x, y});
  };
  for (int y = 0; y < image.size[1]; ++y) visit(0, y);
  while (!todo.empty()) {
    const auto [x, y] = todo.back();
    todo.pop_back();
    visit(x - 1, y);
    visit(x + 1, y);
    visit(x, y - 1);
    visit(x, y + 1);
  }
  for (std::uint8_t& value : image.value) value = value == reached ? poreValue : solidValue;
}

bool poreOnRight(const SampleImage& image) {
  for (int y = 0; y < image.size[1]; ++y)
    if (image.value[image.index(image.size[0] - 1, y, 0)] == poreValue) return true;
  return false;
}
}  // namespace

Network sampleNetwork(const NetworkShape& shape) {
  requireNetwork(shape);
  Random random{shape.seed};
  const Graph graph = makeGraph(shape, random);
  const std::vector<Channel> channels = chooseChannels(shape, graph, random);
  Network network{
      .image = sampleBoxImage({shape.cells[0] * shape.cell, shape.cells[1] * shape.cell, 1}),
      .kept = static_cast<double>(channels.size()) / static_cast<double>(graph.channel.size())};
  SampleImage& image = network.image;
  std::fill(image.value.begin(), image.value.end(), solidValue);
  for (const Channel& channel : channels)
    cutChannel(image, graph.node[channel.from], graph.node[channel.to], channel.width);
  keepConnectedToLeft(image);
  if (!poreOnRight(image))
    stage::fail(
        stage::ExitCode::Usage,
        "the network does not connect left and right: increase --width or reduce --spread.");
  return network;
}

}  // namespace tessera::preprocess::sample
