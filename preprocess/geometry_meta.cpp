// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry meta data to and from JSON.
#include "preprocess/geometry_meta.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "preprocess/voxelise.hpp"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

Json openingToJson(const Opening& opening) {
  return {{"id", opening.id},         {"name", opening.name},    {"centre_m", opening.centre},
          {"normal", opening.normal}, {"area_m2", opening.area}, {"radius_m", opening.radius}};
}

Opening openingFromJson(const Json& json) {
  return {json.at("id"),     json.at("name"),    json.at("centre_m"),
          json.at("normal"), json.at("area_m2"), json.at("radius_m")};
}

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
  Json openings = Json::array();
  for (const Opening& opening : geometry.openings) openings.push_back(openingToJson(opening));
  const Json meta{{"dimensions", geometry.dimensions},
                  {"spacing_m", geometry.frame.spacing},
                  {"origin_m", geometry.frame.origin},
                  {"axes", geometry.frame.axis},
                  {"nodes", geometry.fluid.size},
                  {"periodic", geometry.periodic},
                  {"fluid_nodes", geometry.fluid.count()},
                  {"boundary_nodes", geometry.boundary.node.size()},
                  {"links", geometry.boundary.patch.size()},
                  {"vertices", geometry.surface.vertex.size()},
                  {"triangles", geometry.surface.triangle.size()},
                  {"openings", openings},
                  {"walls", geometry.wallNames}};
  return meta.dump(1);
}

GeometryCounts metaFromJson(const std::string& text, LatticeGeometry& geometry) {
  const Json meta = Json::parse(text);
  meta.at("dimensions").get_to(geometry.dimensions);
  meta.at("spacing_m").get_to(geometry.frame.spacing);
  meta.at("origin_m").get_to(geometry.frame.origin);
  meta.at("axes").get_to(geometry.frame.axis);
  meta.at("periodic").get_to(geometry.periodic);
  meta.at("walls").get_to(geometry.wallNames);
  for (const Json& opening : meta.at("openings"))
    geometry.openings.push_back(openingFromJson(opening));
  const GeometryCounts counts{meta.at("nodes"), meta.at("fluid_nodes"), meta.at("boundary_nodes"),
                              meta.at("links"), meta.at("vertices"),    meta.at("triangles")};
  checkMeta(geometry, counts);
  return counts;
}

}  // namespace tessera
