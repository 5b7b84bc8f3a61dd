// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/meta.hpp"

#include <stdexcept>

#include "pipelines/stage/io/json.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"

namespace tessera::preprocess::file {

namespace {

void checkMeta(const geometry::LatticeGeometry& geometry, const GeometryCounts& counts) {
  for (int n : counts.nodes)
    if (n < 1 || n > lattice::maxNodesPerAxis)
      throw std::runtime_error("the lattice has an impossible size");
  if (geometry.dimensions != 2 && geometry.dimensions != 3)
    throw std::runtime_error("the number of dimensions is neither 2 nor 3");
  if (!geometry.frame.hasPossibleSpacing()) throw std::runtime_error("the spacing is impossible");
  if (!geometry.frame.hasResolvedOrigin()) throw std::runtime_error("the origin is too far away");
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
               {"sheet_triangles", geometry.surface.sheetTriangles},
               {"cut_links", geometry.cutLinks},
               {"openings", openingsToJson(geometry.openings)},
               {"throats", throatsToJson(geometry.throats)},
               {"walls", geometry.wallNames}});
  if (!geometry.throatsNotSearched.empty())
    meta["throats_not_searched"] = geometry.throatsNotSearched;
  return stage::jsonText(meta, 1);
}

GeometryCounts metaFromJson(const std::string& text, geometry::LatticeGeometry& geometry) {
  const stage::Json meta = stage::parseJson(text);
  meta.at("dimensions").get_to(geometry.dimensions);
  geometry.frame = frameOf(meta);
  meta.at("periodic").get_to(geometry.periodic);
  meta.at("walls").get_to(geometry.wallNames);
  meta.at("cut_links").get_to(geometry.cutLinks);
  meta.at("sheet_triangles").get_to(geometry.surface.sheetTriangles);
  geometry.openings = openingsFromJson(meta.at("openings"));
  geometry.throats = throatsFromJson(meta.at("throats"), geometry.openings.size());
  geometry.throatsNotSearched = meta.value("throats_not_searched", "");
  const GeometryCounts counts{meta.at("nodes"), meta.at("fluid_nodes"), meta.at("boundary_nodes"),
                              meta.at("links"), meta.at("vertices"),    meta.at("triangles")};
  checkMeta(geometry, counts);
  return counts;
}

using geometry::Opening;
using geometry::Throat;
using stage::Json;

void addFrame(Json& meta, const geometry::Frame& frame) {
  meta["spacing_m"] = frame.spacing;
  meta["origin_m"] = frame.origin;
  meta["axes"] = frame.axis;
  if (!frame.space.empty()) meta["space"] = frame.space;
  meta["length_unit"] = frame.lengthUnit.name;
}

geometry::Frame frameOf(const Json& meta) {
  geometry::Frame frame;
  meta.at("spacing_m").get_to(frame.spacing);
  meta.at("origin_m").get_to(frame.origin);
  meta.at("axes").get_to(frame.axis);
  frame.space = meta.value("space", "");
  // Files before version 0.3 do not say, and are taken as metres.
  const stage::LengthUnit* unit = stage::findLengthUnit(meta.value("length_unit", "m"));
  if (unit == nullptr) throw std::runtime_error("the unit of length is unknown");
  frame.lengthUnit = *unit;
  return frame;
}

Json openingsToJson(const std::vector<Opening>& openings) {
  Json list = Json::array();
  for (const Opening& opening : openings)
    list.push_back({{"id", opening.id},
                    {"name", opening.name},
                    {"centre_m", opening.centre},
                    {"normal", opening.normal},
                    {"area_m2", opening.area},
                    {"radius_m", opening.radius},
                    {"part", opening.part}});
  return list;
}

std::vector<Opening> openingsFromJson(const Json& list) {
  std::vector<Opening> openings;
  for (const Json& entry : list)
    openings.push_back({entry.at("id"), entry.at("name"), entry.at("centre_m"), entry.at("normal"),
                        entry.at("area_m2"), entry.at("radius_m"), entry.value("part", 1)});
  return openings;
}

Json throatsToJson(const std::vector<Throat>& throats) {
  Json list = Json::array();
  for (const Throat& throat : throats)
    list.push_back({{"openings", throat.openings},
                    {"centre_m", throat.centre},
                    {"normal", throat.normal},
                    {"area_m2", throat.area},
                    {"passages", throat.passages}});
  return list;
}

std::vector<Throat> throatsFromJson(const Json& list, std::size_t openings) {
  std::vector<Throat> throats;
  for (const Json& entry : list) {
    throats.push_back({entry.at("openings"), entry.at("centre_m"), entry.at("normal"),
                       entry.at("area_m2"), entry.value("passages", 1)});
    for (const int id : throats.back().openings)
      if (id < 1 || static_cast<std::size_t>(id) > openings)
        throw std::runtime_error("a throat has an unknown opening");
    if (!(throats.back().area > 0.0))
      throw std::runtime_error("the area of a throat is not positive");
  }
  return throats;
}

}  // namespace tessera::preprocess::file
