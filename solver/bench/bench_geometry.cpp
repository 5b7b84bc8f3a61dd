// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/bench_geometry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <span>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "tiler/tile.hpp"

namespace tessera::solver::bench {

using preprocess::geometry::BitLattice;
using preprocess::geometry::LatticeGeometry;

namespace {

constexpr const char* known =
    "dense:N, porous:N, spheres:N, vessel:N (N nodes on the longest side), pack:NxP (porosity P %) "
    "and channel:XxYxZ";
constexpr std::uint64_t allBits = ~std::uint64_t{0};

// --- rows of nodes as bits -----------------------------------------------------------------------

// Plane of constant z: rowWords words for each y, bit x % 64 of word x / 64.
using Plane = std::span<std::uint64_t>;

// Calls fill(z, plane) in parallel with zeroed planes; bits beyond the box are dropped.
template <class Fill>
BitLattice filled(const Int3& nodes, const Fill& fill) {
  BitLattice fluid(nodes);
  const int words = fluid.rowWords();
  const std::uint64_t last = nodes[0] % 64 == 0 ? allBits : ~(allBits << (nodes[0] % 64));
  const auto layers = static_cast<std::size_t>(fluid.blocks()[2]);
  stage::parallelFor(layers, [&](std::size_t layer) {
    const int first = static_cast<int>(layer) * BitLattice::blockPlanes;
    for (int z = first; z < std::min(first + BitLattice::blockPlanes, nodes[2]); ++z) {
      std::vector<std::uint64_t> plane(static_cast<std::size_t>(words) *
                                       static_cast<std::size_t>(nodes[1]));
      fill(z, Plane(plane));
      for (int y = 0; y < nodes[1]; ++y)
        for (int w = 0; w < words; ++w)
          fluid.setWord(
              w, y, z,
              plane[static_cast<std::size_t>(y * words + w)] & (w == words - 1 ? last : allBits));
    }
  });
  return fluid;
}

// Marks nodes first .. last of a row solid.
void clear(std::span<std::uint64_t> row, int first, int last) {
  for (int w = first / 64; w <= last / 64; ++w) {
    const int low = std::max(first - 64 * w, 0);
    const int high = std::min(last - 64 * w, 63);
    row[static_cast<std::size_t>(w)] &= ~((allBits >> (63 - high + low)) << low);
  }
}

void clearBall(const Ball& ball, int z, const Int3& nodes, Plane plane) {
  const double dz = z - ball.centre[2];
  const double across = ball.radius * ball.radius - dz * dz;
  if (across <= 0.0) return;
  const double reach = std::sqrt(across);
  const int top = std::min(static_cast<int>(std::floor(ball.centre[1] + reach)), nodes[1] - 1);
  const std::size_t words = plane.size() / static_cast<std::size_t>(nodes[1]);
  for (int y = std::max(static_cast<int>(std::ceil(ball.centre[1] - reach)), 0); y <= top; ++y) {
    const double dy = y - ball.centre[1];
    const double half = std::sqrt(std::max(across - dy * dy, 0.0));
    const int first = std::max(static_cast<int>(std::ceil(ball.centre[0] - half)), 0);
    const int last = std::min(static_cast<int>(std::floor(ball.centre[0] + half)), nodes[0] - 1);
    if (first <= last)
      clear(plane.subspan(static_cast<std::size_t>(y) * words, words), first, last);
  }
}

// --- the kinds -----------------------------------------------------------------------------------

// Overlapping balls, one per grid cell at a random position: more even than uniformly random balls,
// and similar at every size.
BitLattice ballInEachCell(const Int3& nodes, int cell, double radius) {
  std::mt19937 engine(3);
  const auto random = [&engine] { return static_cast<double>(engine()) / 4294967296.0; };
  std::vector<Ball> balls;
  const int cells = nodes[0] / cell + 1;
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x) {
        const double along = x + random();
        const double across = y + random();
        balls.push_back({{along * cell, across * cell, (z + random()) * cell}, radius});
      }
  return outsideBalls(nodes, balls);
}

// The same with the radius that leaves `percent` of the nodes, by bisection.
BitLattice ballsOfPorosity(const Int3& nodes, int percent) {
  constexpr int cell = 32;
  if (percent == 100) return outsideBalls(nodes, {});
  const auto wanted = static_cast<std::uint64_t>(percent) * static_cast<std::uint64_t>(nodes[0]) *
                      static_cast<std::uint64_t>(nodes[1]) * static_cast<std::uint64_t>(nodes[2]) /
                      100;
  double low = 0.0, high = 1.5 * cell;  // solid
  for (int k = 0; k < 16; ++k) {
    const double radius = (low + high) / 2.0;
    (ballInEachCell(nodes, cell, radius).count() > wanted ? low : high) = radius;
  }
  return ballInEachCell(nodes, cell, low);
}

// Bent tube around a centreline that oscillates in y and z, with an oscillating radius.
BitLattice bentTube(int length) {
  const int width = std::max(length / 2, 1);
  struct Section {
    double y, z, square;
  };
  std::vector<Section> sections;
  for (int x = 0; x < length; ++x) {
    const double s = 6.28318530717958647692 * x / length;
    const double radius = width * (0.2 + 0.04 * std::sin(3.0 * s));
    sections.push_back({width / 2.0 + 0.25 * width * std::sin(s),
                        width / 2.0 + 0.25 * width * std::cos(0.7 * s), radius * radius});
  }
  const Int3 nodes{length, width, width};
  return filled(nodes, [&](int z, Plane plane) {
    const std::size_t words = plane.size() / static_cast<std::size_t>(width);
    for (int y = 0; y < width; ++y)
      for (std::size_t x = 0; x < sections.size(); ++x) {
        const Section& at = sections[x];
        const bool inside = (y - at.y) * (y - at.y) + (z - at.z) * (z - at.z) < at.square;
        plane[static_cast<std::size_t>(y) * words + x / 64] |= std::uint64_t{inside} << (x % 64);
      }
  });
}

BitLattice fluidOf(const BuiltIn& what) {
  const Int3& n = what.size;
  if (what.kind == "porous") return ballInEachCell(n, 32, 15.0);
  if (what.kind == "spheres") return ballInEachCell(n, 37, 23.2);
  if (what.kind == "vessel") return bentTube(n[0]);
  if (what.kind == "pack") return ballsOfPorosity({n[0], n[0], n[0]}, n[1]);
  return outsideBalls(n, {});
}

[[noreturn]] void refuseGeometry(const std::string& word) {
  stage::fail(stage::ExitCode::Usage,
              "\"" + word + "\" is neither a file nor a built-in geometry; available: " + known);
}

// Integers from 1 to 100,000 separated by `between`.
std::vector<int> numbersIn(std::string_view text, char between) {
  std::vector<int> numbers;
  while (true) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 1 || number > 100'000) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return numbers;
    if (text.front() != between) return {};
    text.remove_prefix(1);
  }
}

}  // namespace

std::optional<BuiltIn> builtInNamed(const std::string& word) {
  const std::size_t colon = word.find(':');
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (colon == std::string::npos || colon == 0 ||
      !std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(colon), letter))
    return std::nullopt;
  const std::string kind = word.substr(0, colon);
  const std::vector<int> numbers = numbersIn(std::string_view(word).substr(colon + 1), 'x');
  if (kind == "channel" && numbers.size() == 3)
    return BuiltIn{kind, {numbers[0], numbers[1], numbers[2]}};
  if (kind == "pack" && numbers.size() == 2 && numbers[1] <= 100)
    return BuiltIn{kind, {numbers[0], numbers[1], 0}};
  const bool named = kind == "dense" || kind == "porous" || kind == "spheres" || kind == "vessel";
  if (!named || numbers.size() != 1) refuseGeometry(word);
  return BuiltIn{kind, {numbers[0], numbers[0], numbers[0]}};
}

BitLattice outsideBalls(const Int3& nodes, const std::vector<Ball>& balls) {
  return filled(nodes, [&](int z, Plane plane) {
    std::fill(plane.begin(), plane.end(), allBits);
    for (const Ball& ball : balls)
      if (std::abs(z - ball.centre[2]) < ball.radius) clearBall(ball, z, nodes, plane);
  });
}

LatticeGeometry closedLattice(BitLattice fluid) {
  LatticeGeometry geometry;
  geometry.frame.spacing = 1e-4;
  geometry.fluid = std::move(fluid);
  geometry.boundary =
      preprocess::lattice::findImageLinks(geometry.fluid, geometry.periodic, {}).boundary;
  return geometry;
}

tiler::file::TilesFile alignedTiles(LatticeGeometry lattice) {
  tiler::file::TilesFile file;
  file.geometry = tiler::coverWithTiles(std::move(lattice), {0, 0, 0});
  return file;
}

LatticeGeometry builtInLattice(const BuiltIn& what) {
  return closedLattice(fluidOf(what));
}

tiler::file::TilesFile builtInTiles(const BuiltIn& what) {
  return alignedTiles(builtInLattice(what));
}

}  // namespace tessera::solver::bench
