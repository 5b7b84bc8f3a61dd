// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/wall_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/decimate.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/view_json.hpp"
#include "pipelines/picture/wall_view_script.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::picture {

using stage::Json;

namespace {

// Surface as drawn: a vertex for each label that meets there, triangles by label.
struct DrawnSurface {
  std::vector<Double3> vertex;
  std::vector<std::uint32_t> coarse;  // vertex of the coarse surface
  std::vector<std::uint16_t> label;   // of each vertex
  std::vector<stage::Triangle> triangle;
  std::vector<std::size_t> end;  // of the triangles of each label
};

DrawnSurface drawnSurface(const CoarseSurface& surface, const ViewParts& parts) {
  DrawnSurface drawn;
  if (parts.labels.empty()) {
    drawn.vertex = surface.vertex;
    drawn.triangle = surface.triangle;
    for (std::uint32_t v = 0; v < surface.vertex.size(); ++v) drawn.coarse.push_back(v);
    return drawn;
  }
  const std::size_t labels = parts.labels.size();
  std::vector<std::vector<std::size_t>> byLabel(labels);
  for (std::size_t t = 0; t < surface.triangle.size(); ++t)
    byLabel[parts.labelOf[surface.source[t]]].push_back(t);
  std::vector<std::uint32_t> copy(surface.vertex.size());
  std::vector<std::size_t> copiedFor(surface.vertex.size(), labels);
  for (std::size_t label = 0; label < labels; ++label) {
    for (const std::size_t t : byLabel[label]) {
      stage::Triangle corner = surface.triangle[t];
      for (std::uint32_t& v : corner) {
        if (copiedFor[v] != label) {
          copiedFor[v] = label;
          copy[v] = static_cast<std::uint32_t>(drawn.vertex.size());
          drawn.vertex.push_back(surface.vertex[v]);
          drawn.coarse.push_back(v);
          drawn.label.push_back(static_cast<std::uint16_t>(label));
        }
        v = copy[v];
      }
      drawn.triangle.push_back(corner);
    }
    drawn.end.push_back(drawn.triangle.size());
  }
  return drawn;
}

struct Box {
  Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
};

void extend(Box& box, const Double3& point) {
  for (std::size_t a = 0; a < 3; ++a) {
    box.low[a] = std::min(box.low[a], point[a]);
    box.high[a] = std::max(box.high[a], point[a]);
  }
}

// Corners of the lattice's box.
std::array<Double3, 8> cornersOf(const ViewLattice& lattice) {
  std::array<Double3, 8> corners{};
  for (std::size_t c = 0; c < 8; ++c) {
    corners[c] = lattice.origin;
    for (std::size_t a = 0; a < 3; ++a) {
      const double at = (c >> a & 1U) != 0 ? lattice.nodes[a] - 0.5 : -0.5;
      corners[c] = corners[c] + lattice.spacing * at * lattice.axis[a];
    }
  }
  return corners;
}

Box boxOf(const std::vector<Double3>& vertex, const ViewParts& parts) {
  Box box;
  for (const Double3& v : vertex) extend(box, v);
  if (vertex.empty())
    for (const Double3& corner : cornersOf(parts.lattice)) extend(box, corner);
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
  return arrayText(position);
}

template <class Index>
std::string packedCorners(const std::vector<stage::Triangle>& triangle) {
  std::vector<Index> corner;
  corner.reserve(3 * triangle.size());
  for (const stage::Triangle& t : triangle)
    for (std::uint32_t v : t) corner.push_back(static_cast<Index>(v));
  return arrayText(corner);
}

std::string packedMap(ColourMap map) {
  std::vector<Colour> colours;
  for (int i = 0; i < 256; ++i) colours.push_back(mapColour(map, i / 255.0));
  return arrayText(colours);
}

// Values of each time as 16 bits between the least and the largest of all, in the displayed unit.
void addFrames(const WallViewValues& values, const CoarseSurface& surface,
               const DrawnSurface& drawn, Json& json) {
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
    for (const std::uint32_t v : drawn.coarse)
      code.push_back(
          static_cast<std::uint16_t>(std::lround(65535.0F * (frame[v] - least) / range)));
    json["frames"].push_back(arrayText(code));
  }
}

Json valuesJson(const WallViewValues& values, const CoarseSurface& surface,
                const DrawnSurface& drawn) {
  const std::vector<float> coarse = surface.values(values.vertex);
  std::vector<float> shown;
  for (const std::uint32_t v : drawn.coarse)
    shown.push_back(coarse[v] * static_cast<float>(values.factor));
  Json json{{"title", values.title},
            {"caption", values.caption},
            {"unit", values.unit},
            {"low", values.scale.lowest * values.factor},
            {"high", values.scale.highest * values.factor},
            {"map", packedMap(values.scale.map)},
            {"openBelow", values.openBelow},
            {"openAbove", values.openAbove},
            {"values", arrayText(shown)}};
  addFrames(values, surface, drawn, json);
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

// Labels as a quantity whose colours do not blend.
Json labelsJson(const ViewParts& parts, const DrawnSurface& drawn) {
  Json list = Json::array();
  std::size_t from = 0;
  for (std::size_t k = 0; k < parts.labels.size(); ++k) {
    Json label = labelJson(parts.labels[k]);
    label["from"] = 3 * from;
    label["count"] = 3 * (drawn.end[k] - from);
    from = drawn.end[k];
    list.push_back(std::move(label));
  }
  const std::vector<float> index(drawn.label.begin(), drawn.label.end());
  return {{"title", "parts"}, {"labels", list}, {"values", arrayText(index)}};
}

Camera firstView(const CoarseSurface& surface, const ViewParts& parts) {
  constexpr Rectangle frame{0.0, 0.0, 960.0, 600.0};
  if (parts.flat) return fixedView(2, true, cornersOf(parts.lattice), frame);
  if (!surface.triangle.empty()) return viewFrom(parts.side, surface.vertex, frame);
  return frameView(unit(Double3{-0.55, -0.75, 0.5}), {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}},
                   cornersOf(parts.lattice), frame);
}

Json viewJson(std::span<const WallViewValues> choices, const CoarseSurface& surface,
              const ViewParts& parts) {
  const DrawnSurface drawn = drawnSurface(surface, parts);
  const Box box = boxOf(drawn.vertex, parts);
  const double longest =
      std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
  const DisplayUnit unit = displayUnit("m", longest);
  const Camera camera = firstView(surface, parts);
  const bool wide = drawn.vertex.size() > 65535;
  Json json{{"low", box.low},
            {"high", box.high},
            {"lengthFactor", unit.factor},
            {"lengthUnit", unit.name},
            {"right", camera.right},
            {"up", camera.up},
            {"toward", camera.toward},
            {"positions", packedPositions(drawn.vertex, box)},
            {"wide", wide},
            {"corners", wide ? packedCorners<std::uint32_t>(drawn.triangle)
                             : packedCorners<std::uint16_t>(drawn.triangle)}};
  json["quantities"] = Json::array();
  if (!parts.labels.empty()) json["quantities"].push_back(labelsJson(parts, drawn));
  for (const WallViewValues& values : choices)
    json["quantities"].push_back(valuesJson(values, surface, drawn));
  json["marks"] = marksJson(parts.marks);
  json["space"] = parts.space;
  json["flat"] = parts.flat;
  if (!parts.lattice.empty()) json["lattice"] = latticeJson(parts.lattice);
  return json;
}

std::string controls(std::span<const WallViewValues> choices, const ViewParts& parts) {
  std::vector<std::string> titles;
  if (!parts.labels.empty()) titles.emplace_back("parts of the surface");
  for (const WallViewValues& values : choices) titles.push_back(values.title);
  std::string entries;
  for (std::size_t i = 0; i < titles.size(); ++i)
    entries += fmt::format("<option value=\"{}\">{}</option>", i, escapeMarkup(titles[i]));
  std::string out =
      fmt::format("<label{}>Coloured by <select>{}</select></label>",
                  titles.size() > 1 || parts.labels.empty() ? "" : " hidden", entries);
  if (!parts.labels.empty())
    out += "<label><input type=\"checkbox\" data-glass> See through the wall</label>";
  if (!parts.marks.empty())
    out += "<label><input type=\"checkbox\" data-marks checked> Numbers and arrows</label>";
  if (!parts.lattice.empty())
    out +=
        "<label><input type=\"checkbox\" data-lattice> Lattice</label><label data-layer>across "
        "<select aria-label=\"axis of the layer\"></select> <input type=\"range\" min=\"0\" "
        "aria-label=\"layer of nodes\"> <span></span></label>";
  return out;
}

std::string hint(std::size_t drawn, std::size_t given, const ViewParts& parts) {
  const bool labels = !parts.labels.empty();
  std::string text =
      parts.flat
          ? "Wheel or pinch to zoom, drag to move."
          : "Drag to turn, wheel or pinch to zoom, shift and drag to move; point at the wall "
            "for its " +
                std::string(labels ? "name." : "value.");
  if (given == 0) return text;
  text += ' ' + formatCount(drawn) + " triangles";
  if (drawn == given) return text + '.';
  return text + ", of " + formatCount(given) + (labels ? "." : " that the values were found on.");
}

}  // namespace

std::string wallView(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                     std::span<const WallViewValues> choices, const ViewParts& parts) {
  if (choices.empty() && parts.labels.empty() && parts.lattice.empty()) return "";
  CoarseSurface surface;
  if (!triangle.empty())
    surface = decimate(vertex, triangle, parts.mostTriangles,
                       std::max<std::size_t>(65535, parts.mostTriangles));
  const char* const missing =
      "so the geometry cannot be turned here; the tables and pictures show the same.";
  return "<div class=\"view\" id=\"wall-view\">\n<div class=\"view-bar\">" +
         controls(choices, parts) +
         "<button type=\"button\">First view</button><output "
         "aria-live=\"polite\"></output></div>\n" +
         timeBar(choices) +
         "<div class=\"view-stage\"><canvas tabindex=\"0\" aria-label=\"The geometry in three "
         "dimensions. Arrow keys turn it, plus and minus zoom.\"></canvas></div>\n"
         "<div class=\"view-legend\"></div>\n<p class=\"view-hint\">" +
         escapeMarkup(hint(surface.triangle.size(), triangle.size(), parts)) +
         "</p>\n<p class=\"view-missing\" hidden>This browser shows no WebGL, " + missing +
         "</p><noscript><p>Scripts are off, " + missing +
         "</p></noscript>\n<script type=\"application/json\">" +
         scriptJson(viewJson(choices, surface, parts)) + "</script>\n<script>" +
         std::string(wallViewScript) +
         (timeBar(choices).empty() ? "" : std::string(timeSliderScript)) + "</script>\n</div>\n";
}

}  // namespace tessera::picture
