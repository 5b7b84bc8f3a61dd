// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/side_walls.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess {

std::vector<lattice::WallFace> nameSides(geometry::LatticeGeometry& geometry,
                                         const std::vector<SideWall>& sides) {
  std::vector<lattice::WallFace> faces;
  std::vector<std::string>& names = geometry.wallNames;
  for (const SideWall& wall : sides) {
    const lattice::BoxFace face{wall.side.axis, wall.side.high, 1};
    if (lattice::nodesAtFaces(geometry.fluid, {&face, 1}).empty())
      stage::fail(stage::ExitCode::Usage,
                  "--wall " + wall.side.name() + "=" + wall.name +
                      ": no fluid node lies on that side of the image; leave it out.");
    auto known = std::find(names.begin(), names.end(), wall.name);
    if (known == names.end()) known = names.insert(names.end(), wall.name);
    faces.push_back(
        {wall.side.axis, wall.side.high, static_cast<geometry::Patch>(known - names.begin())});
  }
  return faces;
}

}  // namespace tessera::preprocess
