// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/svg.hpp"

#include <array>
#include <cstdio>

#include "pipelines/picture/markup.hpp"

namespace tessera::picture {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string pointList(const std::vector<Point>& points) {
  std::string list;
  for (const Point& p : points) {
    if (!list.empty()) list += ' ';
    list += number(p.x) + ',' + number(p.y);
  }
  return list;
}

std::string element(const Stroke& stroke) {
  return "<polyline fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke=\"" +
         hexColour(stroke.colour) + "\" stroke-width=\"" + number(stroke.width) +
         "\" stroke-opacity=\"" + number(stroke.opacity) + "\" points=\"" +
         pointList(stroke.points) + "\"/>\n";
}

std::string element(const Area& area) {
  return "<polygon fill=\"" + hexColour(area.colour) + "\" fill-opacity=\"" + number(area.opacity) +
         "\" points=\"" + pointList(area.points) + "\"/>\n";
}

std::string element(const Label& label) {
  constexpr std::array<const char*, 3> anchors{"start", "middle", "end"};
  std::string text = "<text x=\"" + number(label.at.x) + "\" y=\"" + number(label.at.y) +
                     "\" font-size=\"" + number(label.size) + "\" fill=\"" +
                     hexColour(label.colour) + "\" text-anchor=\"" +
                     anchors[static_cast<std::size_t>(label.anchor)] + '"';
  if (label.bold) text += " font-weight=\"600\"";
  if (label.upwards)
    text += " transform=\"rotate(-90 " + number(label.at.x) + ' ' + number(label.at.y) + ")\"";
  return text + '>' + escapeMarkup(label.text) + "</text>\n";
}

}  // namespace

std::string toSvg(const Drawing& drawing, std::string_view title) {
  const std::string w = number(drawing.width), h = number(drawing.height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
                    "\" viewBox=\"0 0 " + w + ' ' + h +
                    "\" font-family=\"Inter, 'Helvetica Neue', Arial, sans-serif\" role=\"img\">\n"
                    "<title>" +
                    escapeMarkup(title) + "</title>\n";
  for (const auto& shape : drawing.shapes)
    svg += std::visit([](const auto& s) { return element(s); }, shape);
  return svg + "</svg>\n";
}

}  // namespace tessera::picture
