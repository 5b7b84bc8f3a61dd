// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/wall_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/decimate.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/wall_view_script.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::picture {

using stage::Json;

namespace {

constexpr std::size_t mostTriangles = 60000, mostVertices = 65535;

template <class T>
std::string packed(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

struct Box {
  Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
};

Box boxOf(const std::vector<Double3>& vertex) {
  Box box;
  for (const Double3& v : vertex)
    for (std::size_t a = 0; a < 3; ++a) {
      box.low[a] = std::min(box.low[a], v[a]);
      box.high[a] = std::max(box.high[a], v[a]);
    }
  return box;
}

std::string packedPositions(const std::vector<Double3>& vertex, const Box& box) {
  std::vector<std::uint16_t> position;
  position.reserve(3 * vertex.size());
  for (const Double3& v : vertex)
    for (std::size_t a = 0; a < 3; ++a) {
      const double size = box.high[a] - box.low[a];
      position.push_back(static_cast<std::uint16_t>(
          size > 0.0 ? std::lround(65535.0 * (v[a] - box.low[a]) / size) : 0));
    }
  return packed(position);
}

std::string packedCorners(const std::vector<stage::Triangle>& triangle) {
  std::vector<std::uint16_t> corner;
  corner.reserve(3 * triangle.size());
  for (const stage::Triangle& t : triangle)
    for (std::uint32_t v : t) corner.push_back(static_cast<std::uint16_t>(v));
  return packed(corner);
}

std::string packedMap(ColourMap map) {
  std::vector<Colour> colours;
  for (int i = 0; i < 256; ++i) colours.push_back(mapColour(map, i / 255.0));
  return packed(colours);
}

// Values of each time as 16 bits between the least and the largest of all, in the displayed unit.
void addFrames(const WallViewValues& values, const CoarseSurface& surface, Json& json) {
  if (values.frames.empty()) return;
  std::vector<std::vector<float>> frames;
  float least = std::numeric_limits<float>::max(), largest = std::numeric_limits<float>::lowest();
  for (const std::vector<float>& frame : values.frames) {
    frames.push_back(surface.values(std::vector<double>(frame.begin(), frame.end())));
    for (float& v : frames.back()) {
      v *= static_cast<float>(values.factor);
      least = std::min(least, v);
      largest = std::max(largest, v);
    }
  }
  const float range = largest > least ? largest - least : 1.0F;
  json["least"] = least;
  json["largest"] = least + range;
  json["times"] = values.times;
  json["frames"] = Json::array();
  for (const std::vector<float>& frame : frames) {
    std::vector<std::uint16_t> code;
    for (const float v : frame)
      code.push_back(static_cast<std::uint16_t>(std::lround(65535.0F * (v - least) / range)));
    json["frames"].push_back(packed(code));
  }
}

Json valuesJson(const WallViewValues& values, const CoarseSurface& surface) {
  std::vector<float> shown = surface.values(values.vertex);
  for (float& v : shown) v *= static_cast<float>(values.factor);
  Json json{{"title", values.title},
            {"caption", values.caption},
            {"unit", values.unit},
            {"low", values.scale.lowest * values.factor},
            {"high", values.scale.highest * values.factor},
            {"map", packedMap(values.scale.map)},
            {"openBelow", values.openBelow},
            {"openAbove", values.openAbove},
            {"values", packed(shown)}};
  addFrames(values, surface, json);
  return json;
}

// Slider through the times; empty without any.
std::string timeBar(std::span<const WallViewValues> choices) {
  std::size_t most = 0;
  for (const WallViewValues& values : choices) most = std::max(most, values.frames.size());
  if (most == 0) return "";
  return fmt::format(
      "<div class=\"view-time\" hidden><button type=\"button\">Play</button><input type=\"range\" "
      "min=\"0\" max=\"{}\" step=\"1\" value=\"0\" aria-label=\"Time\"><span></span></div>\n",
      most - 1);
}

Camera firstView(const CoarseSurface& surface, const WallViewValues& values) {
  std::vector<float> shade = surface.values(values.vertex);
  for (float& s : shade)
    s = static_cast<float>(std::clamp(values.scale.positionOf(static_cast<double>(s)), 0.0, 1.0));
  return bestView(surface.vertex, surface.triangle, shade, {0.0, 0.0, 960.0, 600.0});
}

Json viewJson(std::span<const WallViewValues> choices, const CoarseSurface& surface) {
  const Box box = boxOf(surface.vertex);
  const double longest =
      std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
  const DisplayUnit unit = displayUnit("m", longest);
  const Camera camera = firstView(surface, choices.front());
  Json json{{"low", box.low},
            {"high", box.high},
            {"lengthFactor", unit.factor},
            {"lengthUnit", unit.name},
            {"right", camera.right},
            {"up", camera.up},
            {"toward", camera.toward},
            {"positions", packedPositions(surface.vertex, box)},
            {"corners", packedCorners(surface.triangle)}};
  json["quantities"] = Json::array();
  for (const WallViewValues& values : choices)
    json["quantities"].push_back(valuesJson(values, surface));
  return json;
}

}  // namespace

std::string wallView(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                     std::span<const WallViewValues> choices) {
  if (choices.empty()) return "";
  const CoarseSurface surface = decimate(vertex, triangle, mostTriangles, mostVertices);
  std::string entries;
  for (std::size_t i = 0; i < choices.size(); ++i)
    entries += fmt::format("<option value=\"{}\">{}</option>", i, escapeMarkup(choices[i].title));
  const bool fewer = surface.triangle.size() < triangle.size();
  return "<div class=\"view\" id=\"wall-view\">\n<div class=\"view-bar\"><label>Coloured by "
         "<select>" +
         entries +
         "</select></label><button type=\"button\">First view</button><output "
         "aria-live=\"polite\"></output></div>\n" +
         timeBar(choices) +
         "<canvas tabindex=\"0\" aria-label=\"The wall in "
         "three "
         "dimensions. Arrow keys turn it, plus and minus zoom.\"></canvas>\n"
         "<div class=\"view-legend\"></div>\n<p class=\"view-hint\">Drag to turn, wheel or pinch "
         "to "
         "zoom, shift and drag to move; point at the wall for its value. " +
         escapeMarkup(formatCount(surface.triangle.size())) +
         (fewer ? " triangles, of " + escapeMarkup(formatCount(triangle.size())) +
                      " that the values were found on.</p>\n"
                : " triangles.</p>\n") +
         "<p class=\"view-missing\" hidden>This browser shows no WebGL, so the wall cannot be "
         "turned "
         "here; the pictures below show the same.</p>\n<noscript><p>Scripts are off, so the wall "
         "cannot be turned here; the pictures below show the same.</p></noscript>\n<script "
         "type=\"application/json\">" +
         viewJson(choices, surface).dump() + "</script>\n<script>" + std::string(wallViewScript) +
         (timeBar(choices).empty() ? "" : std::string(timeSliderScript)) + "</script>\n</div>\n";
}

}  // namespace tessera::picture
