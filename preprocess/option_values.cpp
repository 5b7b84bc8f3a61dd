// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess {

using surface::Side;

namespace {

[[noreturn]] void reject(const std::string& name, const std::string& text,
                         const std::string& expected) {
  stage::fail(stage::ExitCode::Usage,
              fmt::format("{} is \"{}\"; expected {}.", name, text, expected));
}

// Comma-separated values; fewer than count if the text is malformed.
template <class Value>
std::vector<Value> parseValues(const std::string& text, std::size_t count) {
  std::vector<Value> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (values.size() < count) {
    while (at != end && *at == ' ') ++at;
    Value value{};
    const auto result = std::from_chars(at, end, value);
    const bool last = values.size() + 1 == count;
    const bool separated = last ? result.ptr == end : result.ptr != end && *result.ptr == ',';
    if (result.ec != std::errc{} || !separated) break;
    values.push_back(value);
    at = result.ptr + 1;
  }
  return values;
}

// Whether a text is valid for --name and --wall: at most 64 printable characters that tables and
// cases allow.
bool isName(const std::string& name) {
  const bool printable = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 || c == 127 || c == ',' || c == '"' || c == '=';
  });
  return printable && !name.empty() && name.size() <= 64;
}

}  // namespace

std::string exactText(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

bool isWholeNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<int> parseWholeNumbers(const std::string& name, const std::string& text,
                                   std::size_t count, int lowest, int highest) {
  const std::vector<int> values = parseValues<int>(text, count);
  if (values.size() != count || std::any_of(values.begin(), values.end(), [&](int value) {
        return value < lowest || value > highest;
      }))
    reject(
        name, text,
        fmt::format("{} whole numbers from {} to {}, separated by commas", count, lowest, highest));
  return values;
}

std::vector<double> parseNumbers(const std::string& name, const std::string& text,
                                 std::size_t count) {
  const std::vector<double> values = parseValues<double>(text, count);
  if (values.size() != count ||
      !std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    reject(name, text,
           count == 1 ? "1 number" : fmt::format("{} numbers, separated by commas", count));
  return values;
}

image::VoxelBox parseCrop(const std::string& text) {
  const std::vector<int> at = parseWholeNumbers("--crop", text, 6, 0, 1 << 20);
  const image::VoxelBox box{{at[0], at[1], at[2]}, {at[3], at[4], at[5]}};
  for (std::size_t a = 0; a < 3; ++a)
    if (box.low[a] >= box.high[a])
      reject("--crop", text,
             fmt::format("x0,y0,z0,x1,y1,z1 with {0}0 below {0}1, since the voxels from {0}0 to "
                         "before {0}1 are kept",
                         "xyz"[a]));
  return box;
}

namespace {

// "A" or "A-B"; absent for other texts.
std::optional<image::ValueRange> parseRange(const std::string& text) {
  const char* const end = text.data() + text.size();
  image::ValueRange range;
  auto result = std::from_chars(text.data(), end, range.low);
  range.high = range.low;
  if (result.ec == std::errc{} && result.ptr != end && *result.ptr == '-')
    result = std::from_chars(result.ptr + 1, end, range.high);
  const bool good = result.ec == std::errc{} && result.ptr == end && std::isfinite(range.low) &&
                    std::isfinite(range.high) && range.low <= range.high;
  return good ? std::optional(range) : std::nullopt;
}

bool hasLetter(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 127 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// Absent for malformed texts.
std::optional<image::LabelSet> parseLabels(const std::string& text) {
  image::LabelSet labels;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string word = text.substr(at, comma - at);
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    at = comma + 1;
    if (const auto range = parseRange(word))
      labels.ranges.push_back(*range);
    else if (hasLetter(word) && isName(word))
      labels.names.push_back(word);
    else
      return std::nullopt;
  }
  return labels;
}

}  // namespace

image::LabelSet parseFluidLabels(const std::string& text) {
  const auto labels = parseLabels(text);
  if (!labels)
    reject("--pore", text,
           "a label, or several labels and ranges from low to high, as 1,3,5-8, or names of "
           "segments");
  return *labels;
}

LabelName parseLabelName(const std::string& name, const std::string& text) {
  const std::size_t separator = text.rfind('=');
  const auto labels = parseLabels(text.substr(0, separator));
  const std::string given = separator == std::string::npos ? "" : text.substr(separator + 1);
  if (!labels || !isName(given) || isWholeNumber(given))
    reject(name, text,
           "LABELS=NAME, labels as in --pore, and a name of at most 64 letters without commas, "
           "quotes or =, other than a whole number, as 3=stent");
  return {*labels, given, text};
}

std::array<bool, 3> parseAxes(const std::string& name, const std::string& text) {
  std::array<bool, 3> axes{false, false, false};
  for (const char c : text) {
    if (c < 'x' || c > 'z') reject(name, text, "the letters of the axes, e.g. x or xyz");
    axes[static_cast<std::size_t>(c - 'x')] = true;
  }
  return axes;
}

std::vector<Side> parseFaces(const std::string& text) {
  std::vector<Side> sides;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    if (word.size() != 2 || word[0] < 'x' || word[0] > 'z' || (word[1] != '-' && word[1] != '+'))
      reject("--faces", text, "sides of the box such as x-,x+");
    const Side side{word[0] - 'x', word[1] == '+'};
    const bool twice = std::any_of(sides.begin(), sides.end(),
                                   [&](const Side& s) { return s.name() == side.name(); });
    if (!twice) sides.push_back(side);
  }
  return sides;
}

surface::CutPlane parseCut(const std::string& text, double metresPerUnit) {
  const std::size_t separator = text.find(';');
  const std::string expected =
      "a point and the direction of the part to cut off, as \"X,Y,Z;NX,NY,NZ\"";
  if (separator == std::string::npos) reject("--cut", text, expected);
  const std::vector<double> point = parseValues<double>(text.substr(0, separator), 3);
  const std::vector<double> normal = parseValues<double>(text.substr(separator + 1), 3);
  if (point.size() != 3 || normal.size() != 3) reject("--cut", text, expected);
  surface::CutPlane cut{metresPerUnit * Double3{point[0], point[1], point[2]},
                        {normal[0], normal[1], normal[2]},
                        text};
  const double size = length(cut.normal);
  if (!std::isfinite(length(cut.point)) || !std::isfinite(size) || !(size > 0.0))
    reject("--cut", text, expected + ", with a non-zero direction");
  cut.normal = (1.0 / size) * cut.normal;
  return cut;
}

OpenRequest parseOpen(const std::string& text, double metresPerUnit) {
  OpenRequest request;
  request.given = text;
  const std::vector<double> point = parseValues<double>(text, 3);
  if (point.size() == 3) {
    request.point = metresPerUnit * Double3{point[0], point[1], point[2]};
    if (std::isfinite(length(request.point))) return request;
  } else if (const auto number = parseValues<int>(text, 1); !number.empty() && number[0] >= 1) {
    request.candidate = static_cast<std::size_t>(number[0]);
    return request;
  }
  reject("--open", text, "a candidate's number from 1, or a point, as \"X,Y,Z\"");
}

lattice::SpacingRequest parseAcross(const std::string& text) {
  const std::size_t separator = text.rfind('=');
  const bool isNamed = separator != std::string::npos;
  lattice::SpacingRequest request;
  if (isNamed) request.opening = text.substr(0, separator);
  const std::vector<std::int64_t> nodes =
      parseValues<std::int64_t>(isNamed ? text.substr(separator + 1) : text, 1);
  if (nodes.empty() || nodes[0] < 1 || nodes[0] > 1 << 30 || (isNamed && request.opening.empty()))
    reject("--across", text,
           "a whole number of nodes of 1 or more, as 20 (across the smallest opening), or "
           "OPENING=20 with an opening's id or name, or largest=20");
  request.across = nodes[0];
  return request;
}

double parseNodeCount(const std::string& name, const std::string& text) {
  const char* const end = text.data() + text.size();
  double nodes = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), end, nodes);
  std::string factor(stop, end);
  std::erase(factor, ' ');
  const std::size_t power = std::string("kMG").find(factor);
  if (!factor.empty()) nodes *= std::pow(1e3, static_cast<double>(power) + 1.0);
  if (error != std::errc{} || factor.size() > 1 || power == std::string::npos ||
      !(nodes >= 1.0 && nodes <= 1e18))
    reject(name, text, "a number of nodes from 1 to 1e18, as 2e8, 200M or 0.2G");
  return nodes;
}

OpeningExtension parseExtension(const std::string& text) {
  const std::size_t separator = text.rfind('=');
  const bool isNamed = separator != std::string::npos;
  OpeningExtension request;
  if (isNamed) request.opening = text.substr(0, separator);
  const std::vector<double> diameters =
      parseValues<double>(isNamed ? text.substr(separator + 1) : text, 1);
  if (diameters.empty() || !(diameters[0] >= 0.1 && diameters[0] <= 100.0) ||
      (isNamed && request.opening.empty()))
    reject("--extend", text,
           "0.1 to 100 diameters, as 5, or OPENING=5 with an opening's id or name");
  request.diameters = diameters[0];
  return request;
}

OpeningName parseName(const std::string& text) {
  const std::size_t separator = text.find('=');
  OpeningName request;
  if (separator != std::string::npos) {
    request.opening = text.substr(0, separator);
    request.name = text.substr(separator + 1);
  }
  if (request.opening.empty() || !isName(request.name))
    reject("--name", text,
           "OPENING=NAME, an opening's id and a name of at most 64 letters without commas, "
           "quotes or =");
  if (isWholeNumber(request.name))
    reject("--name", text, "a name that is not a whole number, since that is an id");
  return request;
}

SideWall parseWall(const std::string& text) {
  const std::string expected =
      "a side of the box and a name of at most 64 letters without commas, quotes or =, other than "
      "a whole "
      "number, as y+=lid";
  const bool side = text.size() > 3 && text[0] >= 'x' && text[0] <= 'z' &&
                    (text[1] == '-' || text[1] == '+') && text[2] == '=';
  if (!side) reject("--wall", text, expected);
  SideWall wall{{text[0] - 'x', text[1] == '+'}, text.substr(3)};
  if (!isName(wall.name) || isWholeNumber(wall.name)) reject("--wall", text, expected);
  return wall;
}

}  // namespace tessera::preprocess
