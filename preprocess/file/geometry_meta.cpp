// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry meta data to and from JSON.
#include "preprocess/file/geometry_meta.hpp"

#include <stdexcept>

#include "pipelines/stage/io/json.hpp"
#include "preprocess/file/meta_json.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"

namespace tessera::preprocess::file {

namespace {

void checkMeta(const geometry::LatticeGeometry& geometry, const GeometryCounts& counts) {
  for (int n : counts.nodes)
    if (n < 1 || n > lattice::maxNodesPerAxis)
      throw std::runtime_error("the lattice has an impossible size");
  if (geometry.dimensions != 2 && geometry.dimensions != 3)
    throw std::runtime_error("the number of dimensions is neither 2 nor 3");
  if (!(geometry.frame.spacing > 0.0)) throw std::runtime_error("the spacing is not positive");
}

}  // namespace

std::string metaToJson(const geometry::LatticeGeometry& geometry) {
  stage::Json meta{{"dimensions", geometry.dimensions}};
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
  return stage::jsonText(meta, 1);
}

GeometryCounts metaFromJson(const std::string& text, geometry::LatticeGeometry& geometry) {
  const stage::Json meta = stage::parseJson(text);
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

}  // namespace tessera::preprocess::file
