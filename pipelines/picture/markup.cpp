// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/unicode.hpp"
#include "pipelines/stage/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera::picture {

namespace {

std::string escaped(std::string_view code) {
  switch (code.front()) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
    case '\r':
      return std::string(code);
    default:
      return static_cast<unsigned char>(code.front()) < 0x20 ? "\ufffd" : std::string(code);
  }
}

}  // namespace

std::string escapeMarkup(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = codeLength(text);
    safe += length == 0 ? "\ufffd" : escaped(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

namespace {

std::string number(double value) {
  return fmt::format("{:.2f}", value);
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
  return text + '>' + escapeMarkup(drawnText(label.text)) + "</text>\n";
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
