// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/unite.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/readers.hpp"
#include "preprocess/read/surface/soup_origin.hpp"
#include "preprocess/read/surface/unique_name.hpp"

namespace tessera::preprocess::read {
namespace {

// As many as labels of walls.
constexpr std::size_t maxFaces = 32768;

// In double, so that two origins far from each other cost no digits.
void append(TriangleSoup& all, std::unordered_set<std::string>& taken, const TriangleSoup& more,
            const std::string& name) {
  for (const Float3& corner : more.corner) {
    Double3 point{};
    for (std::size_t a = 0; a < 3; ++a)
      point[a] = static_cast<double>(corner[a]) + (more.origin[a] - all.origin[a]);
    all.corner.push_back(relativeTo({0.0, 0.0, 0.0}, point));
  }
  const auto first = static_cast<std::uint16_t>(all.faceName.size());
  if (all.faceName.size() + std::max<std::size_t>(more.faceName.size(), 1) > maxFaces)
    stage::fail(stage::ExitCode::BadInput, "the surfaces have more than " +
                                               std::to_string(maxFaces) +
                                               " faces together; give fewer files, or join faces.");
  for (std::size_t t = 0; t < more.triangles(); ++t)
    all.face.push_back(static_cast<std::uint16_t>(first + (more.face.empty() ? 0 : more.face[t])));
  if (more.face.empty()) all.faceName.push_back(takeName(taken, name));
  for (const std::string& face : more.faceName) all.faceName.push_back(takeName(taken, face));
}

// Of the corners of their boxes, as if it were one file.
Double3 commonOrigin(const std::vector<TriangleSoup>& soups) {
  std::vector<Double3> corners;
  bool isNeeded = false;
  for (const TriangleSoup& soup : soups) {
    isNeeded = isNeeded || soup.origin != Double3{0.0, 0.0, 0.0};
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
  return isNeeded ? originFor(corners) : Double3{0.0, 0.0, 0.0};
}

TriangleSoup unite(const std::vector<TriangleSoup>& soups,
                   const std::vector<std::filesystem::path>& paths) {
  TriangleSoup all;
  all.origin = commonOrigin(soups);
  all.space = soups.front().space;
  std::unordered_set<std::string> taken;
  for (std::size_t i = 0; i < soups.size(); ++i)
    append(all, taken, soups[i], paths[i].stem().string());
  return all;
}

}  // namespace

TriangleSoup readSurfaces(const std::vector<std::filesystem::path>& paths) {
  if (paths.size() == 1) return readSurface(paths.front());
  std::vector<TriangleSoup> soups;
  for (const std::filesystem::path& path : paths) {
    soups.push_back(readSurface(path));
    const std::string& first = soups.front().space;
    const std::string& space = soups.back().space;
    if (space != first)
      stage::fail(stage::ExitCode::BadInput,
                  path.string() + " is in another frame (" + (space.empty() ? "not told" : space) +
                      ") than " + paths.front().string() + " (" +
                      (first.empty() ? "not told" : first) + "); export both in the same one.");
  }
  return unite(soups, paths);
}

}  // namespace tessera::preprocess::read
