// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/view_json.hpp"

namespace tessera::picture {

using stage::Json;

namespace {

const char* wordOf(MarkKind kind) {
  constexpr std::array words{"opening", "candidate", "closed", "throat"};
  return words[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string scriptJson(const Json& json) {
  std::string text;
  for (const char c : stage::jsonText(json, -1))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

Json labelJson(const ViewLabel& label) {
  return {{"name", label.name},
          {"colour", hexColour(label.colour)},
          {"inside", label.isInside},
          {"mark", label.mark}};
}

Json marksJson(const std::vector<ViewMark>& marks) {
  Json list = Json::array();
  for (const ViewMark& mark : marks)
    list.push_back({{"kind", wordOf(mark.kind)},
                    {"colour", hexColour(markColour(mark.kind))},
                    {"number", mark.number},
                    {"name", mark.name},
                    {"note", mark.note},
                    {"centre", mark.centre},
                    {"normal", mark.normal},
                    {"radius", mark.radius},
                    {"inwards", mark.inwards}});
  return list;
}

Json latticeJson(const ViewLattice& lattice) {
  Json json{{"origin", lattice.origin},   {"axes", lattice.axis}, {"spacing", lattice.spacing},
            {"nodes", lattice.nodes},     {"cell", lattice.cell}, {"tileEdge", lattice.tileEdge},
            {"shown", lattice.shownFirst}};
  json["entries"] = Json::array();
  for (const ViewLabel& entry : lattice.entry) json["entries"].push_back(labelJson(entry));
  json["slices"] = Json::array();
  for (const ViewSlice& slice : lattice.slice)
    json["slices"].push_back({{"axis", slice.axis},
                              {"at", slice.at},
                              {"blocks", arrayText(slice.block)},
                              {"values", arrayText(slice.value)},
                              {"tiles", arrayText(slice.tile)}});
  return json;
}

}  // namespace tessera::picture
