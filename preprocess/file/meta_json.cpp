// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/meta_json.hpp"

#include "pipelines/stage/io/json.hpp"

namespace tessera::preprocess::file {

using geometry::Opening;
using stage::Json;

void addFrame(Json& meta, const geometry::Frame& frame) {
  meta["spacing_m"] = frame.spacing;
  meta["origin_m"] = frame.origin;
  meta["axes"] = frame.axis;
  if (!frame.space.empty()) meta["space"] = frame.space;
}

geometry::Frame frameOf(const Json& meta) {
  geometry::Frame frame;
  meta.at("spacing_m").get_to(frame.spacing);
  meta.at("origin_m").get_to(frame.origin);
  meta.at("axes").get_to(frame.axis);
  frame.space = meta.value("space", "");
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
                    {"radius_m", opening.radius}});
  return list;
}

std::vector<Opening> openingsFromJson(const Json& list) {
  std::vector<Opening> openings;
  for (const Json& entry : list)
    openings.push_back({entry.at("id"), entry.at("name"), entry.at("centre_m"), entry.at("normal"),
                        entry.at("area_m2"), entry.at("radius_m")});
  return openings;
}

}  // namespace tessera::preprocess::file
