// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/centreline.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/wall_distance_grid.hpp"
#include "postprocess/quantity/cross_section.hpp"
#include "postprocess/results/text.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using preprocess::geometry::Opening;

namespace {

constexpr double mostCells = 250'000.0;
constexpr int passes = 4;  // of smoothing and centring

struct Way {
  Polyline line;      // m
  double radius = 0;  // m, mean distance to the wall
  fields::WallDistanceGrid grid;
};

// Path on a grid of `side` nodes per cell; a coarse grid may close a narrow passage.
std::optional<Way> wayOn(const fields::NodeLookup& lookup, int side, const Opening& from,
                         const Opening& to) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  Way way;
  way.grid = fields::wallDistanceGrid(lookup, side);
  const fields::WallDistanceGrid& grid = way.grid;
  const auto cellAt = [&](const Opening& opening) {
    return grid.nearest(frame.toLattice(opening.centre),
                        2.0 * side + 2.0 * opening.radius / frame.spacing);
  };
  const std::int32_t start = cellAt(from), end = cellAt(to);
  if (start < 0 || end < 0) return std::nullopt;
  const std::vector<std::int32_t> cells = fields::middleWay(grid, start, end);
  if (cells.empty()) return std::nullopt;
  way.line.push_back(from.centre);
  for (const std::int32_t cell : cells) {
    way.line.push_back(frame.toWorld(grid.middle(cell)));
    way.radius += grid.distance[static_cast<std::size_t>(cell)] * frame.spacing /
                  static_cast<double>(cells.size());
  }
  way.line.push_back(to.centre);
  return way;
}

// Moves each inner point towards the mean of its neighbours.
void smooth(Polyline& line) {
  const Polyline old = line;
  for (std::size_t i = 1; i + 1 < line.size(); ++i)
    line[i] = 0.5 * old[i] + 0.25 * (old[i - 1] + old[i + 1]);
}

// Moves each inner point to the centroid of its cross-section, unless that reaches far beyond the
// distance to the wall, as in a bifurcation or an aneurysm.
void moveToMiddle(Polyline& line, const fields::NodeLookup& lookup,
                  const solver::file::Fields& fields, const fields::WallDistanceGrid& grid) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  const Polyline old = line;
  stage::parallelFor(line.size() - 2, [&](std::size_t k) {
    const std::size_t i = k + 1;
    const Double3 along = old[i + 1] - old[i - 1];
    if (!(length(along) > 0.0)) return;
    const auto section = crossSection(lookup, fields, old[i], (1.0 / length(along)) * along);
    const double room = grid.distanceAt(frame.toLattice(old[i])) * frame.spacing;
    if (!section || section->area > std::numbers::pi * 2.5 * room * room) return;
    if (length(section->centroid - old[i]) < room) line[i] = section->centroid;
  });
}

// False if the line is not a point.
bool readPoint(std::string_view text, Double3& point) {
  const std::vector<std::string_view> parts = results::partsOf(text, ',');
  if (parts.size() < 3) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    const char* end = parts[a].data() + parts[a].size();
    const auto [stop, error] = std::from_chars(parts[a].data(), end, point[a]);
    if (error != std::errc() || stop != end || !std::isfinite(point[a])) return false;
  }
  return true;
}

}  // namespace

double lengthOf(const Polyline& line) {
  double sum = 0.0;
  for (std::size_t i = 1; i < line.size(); ++i) sum += length(line[i] - line[i - 1]);
  return sum;
}

Polyline resampled(const Polyline& line, int points) {
  const double whole = lengthOf(line);
  Polyline result{line.front()};
  double before = 0.0;
  std::size_t i = 1;
  for (int p = 1; p + 1 < points; ++p) {
    const double wanted = whole * p / (points - 1);
    while (i + 1 < line.size() && before + length(line[i] - line[i - 1]) < wanted) {
      before += length(line[i] - line[i - 1]);
      ++i;
    }
    const double piece = length(line[i] - line[i - 1]);
    const double part = piece > 0.0 ? std::min(1.0, (wanted - before) / piece) : 0.0;
    result.push_back(line[i - 1] + part * (line[i] - line[i - 1]));
  }
  result.push_back(line.back());
  return result;
}

std::optional<Polyline> findCentreline(const fields::NodeLookup& lookup,
                                       const solver::file::Fields& fields, const Opening& from,
                                       const Opening& to) {
  const auto nodes = static_cast<double>(lookup.geometry.fluidNodes);
  int side = std::max(1, static_cast<int>(std::ceil(std::cbrt(nodes / mostCells))));
  std::optional<Way> way;
  for (; side >= 1 && !way; --side) way = wayOn(lookup, side, from, to);
  if (!way || !(way->radius > 0.0)) return std::nullopt;
  // About two points per radius.
  const double wanted = 2.0 * lengthOf(way->line) / way->radius;
  const int points = static_cast<int>(std::clamp(wanted, 8.0, 200.0));
  Polyline line = resampled(way->line, points);
  for (int pass = 0; pass < passes; ++pass) {
    smooth(line);
    line = resampled(line, points);
    moveToMiddle(line, lookup, fields, way->grid);
  }
  return line;
}

Polyline readPolyline(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} cannot be opened; expected a polyline, one point \"x,y,z\" in metres "
                    "per line",
                    path.string()));
  file.exceptions(std::ios::badbit);  // failed allocation is not the end of the file
  Polyline line;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    Double3 point{};
    if (readPoint(text, point)) {
      line.push_back(point);
    } else if (number > 1 && !text.empty()) {
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{}:{}: \"{}\" is not a point; expected \"x,y,z\" in metres",
                              path.string(), number, text.substr(0, 60)));
    }
  }
  if (line.size() < 2 || !(lengthOf(line) > 0.0))
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has fewer than two different points; expected a polyline, one point "
                    "\"x,y,z\" in metres per line",
                    path.string()));
  return line;
}

}  // namespace tessera::postprocess::quantity
