// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/triangle_soup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/readers.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"

namespace tessera::preprocess::read {

Double3 originFor(std::span<const Double3> points) {
  if (points.empty()) return {0.0, 0.0, 0.0};
  Double3 low = points.front();
  Double3 high = points.front();
  bool floats = true;
  for (const Double3& point : points)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], point[a]);
      high[a] = std::max(high[a], point[a]);
      floats = floats && std::abs(point[a]) <= std::numeric_limits<float>::max() &&
               static_cast<double>(static_cast<float>(point[a])) == point[a];
    }
  double extent = 0.0;
  double farthest = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    extent = std::max(extent, high[a] - low[a]);
    farthest = std::max({farthest, std::abs(low[a]), std::abs(high[a])});
  }
  if (floats || farthest <= 4.0 * extent) return {0.0, 0.0, 0.0};
  return {0.5 * low[0] + 0.5 * high[0], 0.5 * low[1] + 0.5 * high[1], 0.5 * low[2] + 0.5 * high[2]};
}

Float3 relativeTo(const Double3& origin, const Double3& point) {
  Float3 corner{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = point[a] - origin[a];
    corner[a] = std::abs(x) <= std::numeric_limits<float>::max()
                    ? static_cast<float>(x)
                    : std::numeric_limits<float>::infinity();
  }
  return corner;
}

namespace {

// Sums in double, so that two distant origins cost no digits.
void append(TriangleSoup& all, std::unordered_set<std::string>& taken, const TriangleSoup& more,
            const std::string& name) {
  for (const Float3& corner : more.corner) {
    Double3 point{};
    for (std::size_t a = 0; a < 3; ++a)
      point[a] = static_cast<double>(corner[a]) + (more.origin[a] - all.origin[a]);
    all.corner.push_back(relativeTo({0.0, 0.0, 0.0}, point));
  }
  const auto first = static_cast<std::uint16_t>(all.faceName.size());
  if (all.faceName.size() + std::max<std::size_t>(more.faceName.size(), 1) > maxFaceNames)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format(
            "the surfaces have more than {} faces together; use fewer files, or join faces.",
            maxFaceNames));
  for (std::size_t t = 0; t < more.triangles(); ++t)
    all.face.push_back(static_cast<std::uint16_t>(first + (more.face.empty() ? 0 : more.face[t])));
  if (more.face.empty()) all.faceName.push_back(takeName(taken, name));
  for (const std::string& face : more.faceName) all.faceName.push_back(takeName(taken, face));
}

// Origin for the union of the bounding boxes, as for a single file.
Double3 commonOrigin(const std::vector<TriangleSoup>& soups) {
  std::vector<Double3> corners;
  bool isRequired = false;
  for (const TriangleSoup& soup : soups) {
    isRequired = isRequired || soup.origin != Double3{0.0, 0.0, 0.0};
    Double3 low{1e300, 1e300, 1e300};
    Double3 high{-1e300, -1e300, -1e300};
    for (const Float3& corner : soup.corner)
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], soup.origin[a] + corner[a]);
        high[a] = std::max(high[a], soup.origin[a] + corner[a]);
      }
    corners.push_back(low);
    corners.push_back(high);
  }
  return isRequired ? originFor(corners) : Double3{0.0, 0.0, 0.0};
}

TriangleSoup unite(const std::vector<TriangleSoup>& soups,
                   const std::vector<std::filesystem::path>& paths) {
  TriangleSoup all;
  all.origin = commonOrigin(soups);
  all.space = soups.front().space;
  std::unordered_set<std::string> taken;
  for (std::size_t i = 0; i < soups.size(); ++i) append(all, taken, soups[i], stemOf(paths[i]));
  return all;
}

}  // namespace

std::string spaceIn(std::string_view line) {
  const std::size_t at = line.find("SPACE=");
  const std::string_view space = at == line.npos ? "" : line.substr(at + 6, 3);
  return space == "RAS" || space == "LPS" ? std::string(space) : "";
}

namespace {

// Converts the millimetres of a soup that has a unit of its own.
void convertTo(const SoupUnit& unit, TriangleSoup& soup) {
  if (soup.ownUnit == 0.0) return;
  const double scale = 1e-3 / unit.metres;
  if (scale == 1.0) return;
  soup.origin = scale * soup.origin;
  for (Float3& corner : soup.corner)
    for (float& x : corner) x = static_cast<float>(scale * static_cast<double>(x));
}

TriangleSoup readInUnit(const std::filesystem::path& path, const SoupUnit& unit) {
  TriangleSoup soup = readSurface(path);
  const bool isOther = std::abs(soup.ownUnit - unit.metres) > 1e-9 * unit.metres;
  if (unit.isOfFiles && soup.ownUnit > 0.0 && isOther)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{} defines a unit of {:g} mm, --unit one of {:g} mm; omit --unit, "
                            "which its format does not need.",
                            path.string(), 1e3 * soup.ownUnit, 1e3 * unit.metres));
  convertTo(unit, soup);
  return soup;
}

}  // namespace

TriangleSoup readSurfaces(const std::vector<std::filesystem::path>& paths, const SoupUnit& unit) {
  if (paths.size() == 1) return readInUnit(paths.front(), unit);
  std::vector<TriangleSoup> soups;
  for (const std::filesystem::path& path : paths) {
    soups.push_back(readInUnit(path, unit));
    const std::string& first = soups.front().space;
    const std::string& space = soups.back().space;
    if (space != first)
      stage::fail(stage::ExitCode::BadInput,
                  path.string() + " is in another frame (" + (space.empty() ? "unknown" : space) +
                      ") than " + paths.front().string() + " (" +
                      (first.empty() ? "unknown" : first) + "); export both in the same one.");
  }
  return unite(soups, paths);
}

}  // namespace tessera::preprocess::read
