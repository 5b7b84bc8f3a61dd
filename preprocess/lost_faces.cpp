// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lost_faces.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "pipelines/stage/text.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/repair/debris.hpp"

namespace tessera::preprocess {

using geometry::Opening;
using surface::DebrisPart;

namespace {

// Opening in whose plane a part lies; nullptr: none.
const Opening* openingAt(const DebrisPart& part, const std::vector<Opening>& openings) {
  const auto found = std::find_if(openings.begin(), openings.end(), [&](const Opening& opening) {
    const Double3 apart = part.closed.centre - opening.centre;
    return length(apart) < opening.radius &&
           std::abs(dot(apart, opening.normal)) < 0.1 * opening.radius;
  });
  return found == openings.end() ? nullptr : &*found;
}

std::string describeLost(const DebrisPart& part, const std::string& name, bool isWhole,
                         const Opening* opening) {
  const std::string begin = fmt::format(
      "{}face \"{}\", {:.4g} mm2 at {}, was dropped: it has no volume and lies ",
      isWhole ? "the " : "a part of the ", name, 1e6 * part.area, placeText(part.closed.centre));
  const std::string sheet = "a sheet, a wall with fluid on both sides, must lie within the vessel";
  if (opening == nullptr) return begin + "on the wall or outside of the vessel; " + sheet + ".";
  return begin + fmt::format("in the plane of opening {} ({}); {}{}.", opening->id, opening->name,
                             sheet,
                             isWhole ? fmt::format(", and --name {}={} gives the opening that name",
                                                   opening->id, name)
                                     : "");
}

}  // namespace

void dropSeparateCaps(const geometry::TriangleMesh& mesh, const std::vector<surface::Cap>& caps,
                      std::vector<DebrisPart>& debris) {
  std::erase_if(debris, [&](const DebrisPart& part) {
    return std::any_of(caps.begin(), caps.end(), [&](const surface::Cap& cap) {
      return surface::isSeparateCap(mesh, cap, part);
    });
  });
}

void warnAboutLostFaces(const std::vector<DebrisPart>& debris,
                        const std::vector<std::string>& faceName,
                        const std::vector<std::string>& wallNames,
                        const std::vector<Opening>& openings, double area,
                        std::vector<std::string>& warnings) {
  constexpr double shareToMention = 0.002;
  std::map<geometry::Patch, const DebrisPart*> largest;  // by face
  for (const DebrisPart& part : debris)
    if (const auto at = largest.try_emplace(part.closed.face, &part).first;
        part.area > at->second->area)
      at->second = &part;
  for (const auto& [face, part] : largest) {
    const std::string& name = faceName[face];
    const bool isWhole = std::find(wallNames.begin(), wallNames.end(), name) == wallNames.end() &&
                         std::none_of(openings.begin(), openings.end(),
                                      [&](const Opening& opening) { return opening.name == name; });
    if (isWhole || part->area > shareToMention * area)
      warnings.push_back(describeLost(*part, name, isWhole, openingAt(*part, openings)));
  }
}

}  // namespace tessera::preprocess
