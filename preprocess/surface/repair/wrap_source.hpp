// SPDX-License-Identifier: GPL-3.0-or-later
// Preparation of a wrap: the ends of vessels, and holes in walls filled, so that the wrap does not
// enter.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/repair/wrap_ends.hpp"

namespace tessera::preprocess::surface {

// Triangles of the files, and the length.
struct SoupToWrap {
  const read::TriangleSoup& soup;
  double metresPerUnit = 1.0;
  const std::string& name;
  double alpha = 0.0;  // m
};

// Surface to be wrapped.
struct Wrappable {
  geometry::TriangleMesh mesh;  // of the file, with filled holes, without the ends' caps
  std::size_t ofFile = 0;       // its first triangles, without fillings
  std::vector<WrapEnd> ends;
  std::vector<CutPlane> cuts;  // of the user, to be applied to the wrap
  RepairedMesh facts;          // without its mesh
};

// Ends by all caps of a surface that repair() closes, else by open loops of the surface and of
// trial welds; cuts that the surface permits are applied. joined: of the soup.
Wrappable prepareWrap(JoinedSurface&& joined, const SoupToWrap& soup, const RepairRequest& request);

}  // namespace tessera::preprocess::surface
