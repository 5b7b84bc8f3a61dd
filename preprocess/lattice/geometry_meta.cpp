// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry meta data to and from JSON.
#include "preprocess/lattice/geometry_meta.hpp"

#include <stdexcept>

#include "pipelines/stage/json.hpp"
#include "preprocess/lattice/meta_json.hpp"
#include "preprocess/lattice/voxelise.hpp"

namespace tessera {

namespace {

void checkMeta(const LatticeGeometry& geometry, const GeometryCounts& counts) {
  for (int n : counts.nodes)
    if (n < 1 || n > maxNodesPerAxis)
      throw std::runtime_error("the lattice has an impossible size");
  if (geometry.dimensions != 2 && geometry.dimensions != 3)
    throw std::runtime_error("the number of dimensions is neither 2 nor 3");
  if (!(geometry.frame.spacing > 0.0)) throw std::runtime_error("the spacing is not positive");
}

}  // namespace

std::string metaToJson(const LatticeGeometry& geometry) {
  Json meta{{"dimensions", geometry.dimensions}};
  addFrame(meta, geometry.frame);
  meta.update({{"nodes", geometry.fluid.size},
               {"periodic", geometry.periodic},
               {"fluid_nodes", geometry.fluid.count()},
               {"boundary_nodes", geometry.boundary.node.size()},
               {"links", geometry.boundary.patch.size()},
               {"vertices", geometry.surface.vertex.size()},
               {"triangles", geometry.surface.triangle.size()},
               {"openings", openingsToJson(geometry.openings)},
               {"walls", geometry.wallNames}});
  return jsonText(meta, 1);
}

GeometryCounts metaFromJson(const std::string& text, LatticeGeometry& geometry) {
  const Json meta = Json::parse(text);
  meta.at("dimensions").get_to(geometry.dimensions);
  geometry.frame = frameOf(meta);
  meta.at("periodic").get_to(geometry.periodic);
  meta.at("walls").get_to(geometry.wallNames);
  geometry.openings = openingsFromJson(meta.at("openings"));
  const GeometryCounts counts{meta.at("nodes"), meta.at("fluid_nodes"), meta.at("boundary_nodes"),
                              meta.at("links"), meta.at("vertices"),    meta.at("triangles")};
  checkMeta(geometry, counts);
  return counts;
}

}  // namespace tessera
