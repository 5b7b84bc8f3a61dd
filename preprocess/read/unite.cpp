// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/unite.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera {
namespace {

// As many as labels of walls.
constexpr std::size_t maxFaces = 32768;

void append(TriangleSoup& all, const TriangleSoup& more, const std::string& name) {
  Float3 shift{};
  for (std::size_t a = 0; a < 3; ++a) shift[a] = static_cast<float>(more.origin[a] - all.origin[a]);
  for (const Float3& corner : more.corner)
    all.corner.push_back({corner[0] + shift[0], corner[1] + shift[1], corner[2] + shift[2]});
  const auto first = static_cast<std::uint16_t>(all.faceName.size());
  if (all.faceName.size() + std::max<std::size_t>(more.faceName.size(), 1) > maxFaces)
    fail(ExitCode::BadInput, "the surfaces have more than " + std::to_string(maxFaces) +
                                 " faces together; give fewer files, or join faces.");
  for (std::size_t t = 0; t < more.triangles(); ++t)
    all.face.push_back(static_cast<std::uint16_t>(first + (more.face.empty() ? 0 : more.face[t])));
  if (more.face.empty())
    all.faceName.push_back(name);
  else
    all.faceName.insert(all.faceName.end(), more.faceName.begin(), more.faceName.end());
}

}  // namespace

TriangleSoup readSurfaces(const std::vector<std::filesystem::path>& paths) {
  if (paths.size() == 1) return readSurface(paths.front());
  TriangleSoup all;
  for (const std::filesystem::path& path : paths) {
    const TriangleSoup soup = readSurface(path);
    if (&path == &paths.front()) {
      all.origin = soup.origin;
      all.space = soup.space;
    }
    if (soup.space != all.space)
      fail(ExitCode::BadInput, path.string() + " is in another frame (\"" + soup.space +
                                   "\") than " + paths.front().string() + " (\"" + all.space +
                                   "\"); export both in the same one.");
    append(all, soup, path.stem().string());
  }
  return all;
}

}  // namespace tessera
