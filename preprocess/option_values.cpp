// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

[[noreturn]] void reject(const std::string& name, const std::string& text,
                         const std::string& expected) {
  fail(ExitCode::Usage, name + " was given \"" + text + "\", expected " + expected + ".");
}

// Values with commas between them; fewer than count where the text is malformed.
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

}  // namespace

std::vector<int> parseWholeNumbers(const std::string& name, const std::string& text,
                                   std::size_t count, int lowest, int highest) {
  const std::vector<int> values = parseValues<int>(text, count);
  if (values.size() != count || std::any_of(values.begin(), values.end(), [&](int value) {
        return value < lowest || value > highest;
      }))
    reject(name, text,
           "are " + std::to_string(count) + " whole numbers from " + std::to_string(lowest) +
               " to " + std::to_string(highest) + " with commas between them");
  return values;
}

std::vector<double> parseNumbers(const std::string& name, const std::string& text,
                                 std::size_t count) {
  const std::vector<double> values = parseValues<double>(text, count);
  if (values.size() != count ||
      !std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    reject(name, text, "are " + std::to_string(count) + " numbers with commas between them");
  return values;
}

std::array<bool, 3> parseAxes(const std::string& name, const std::string& text) {
  std::array<bool, 3> axes{false, false, false};
  for (const char c : text) {
    if (c < 'x' || c > 'z') reject(name, text, "are the letters of the axes, e.g. x or xyz");
    axes[static_cast<std::size_t>(c - 'x')] = true;
  }
  return axes;
}

std::vector<Side> parseFaces(const std::string& text) {
  std::vector<Side> sides;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    if (word.size() != 2 || word[0] < 'x' || word[0] > 'z' || (word[1] != '-' && word[1] != '+'))
      reject("--faces", text, "are sides of the box such as x-,x+");
    const Side side{word[0] - 'x', word[1] == '+'};
    const bool twice = std::any_of(sides.begin(), sides.end(),
                                   [&](const Side& s) { return s.name() == side.name(); });
    if (!twice) sides.push_back(side);
  }
  return sides;
}

OpeningName parseName(const std::string& text) {
  const std::size_t middle = text.find('=');
  OpeningName request;
  if (middle != std::string::npos) {
    request.opening = text.substr(0, middle);
    request.name = text.substr(middle + 1);
  }
  const bool printable = std::none_of(request.name.begin(), request.name.end(), [](char c) {
    return (c >= 0 && c < 32) || c == 127 || c == ',' || c == '"' || c == '=';
  });
  if (request.opening.empty() || request.name.empty() || request.name.size() > 64 || !printable)
    reject("--name", text,
           "is OPENING=NAME, an opening's id and a name of at most 64 letters without commas, "
           "quotes or =");
  return request;
}

}  // namespace tessera
