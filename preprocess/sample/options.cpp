// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-sample; see options.hpp.
#include "preprocess/sample/options.hpp"

#include <charconv>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/quantity.hpp"
#include "pipelines/stage/targets.hpp"

namespace tessera {

std::vector<double> parseNumbers(const std::string& option, const std::string& text,
                                 std::size_t count) {
  std::vector<double> values;
  const char* at = text.data();
  const char* end = at + text.size();
  while (values.size() < count) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value)) break;
    values.push_back(value);
    at = stop;
    if (at == end || *at != ',') break;
    ++at;
  }
  if (at != end || values.size() != count)
    fail(ExitCode::Usage, option + " was given \"" + text + "\", expected are " +
                              std::to_string(count) + " numbers such as " +
                              (count == 3 ? "64,64,64." : "64,48."));
  return values;
}

Int3 parseSize(const std::string& text, std::size_t count) {
  Int3 size{1, 1, 1};
  const std::vector<double> values = parseNumbers("--size", text, count);
  for (std::size_t a = 0; a < count; ++a) {
    if (!(values[a] >= 1.0 && values[a] <= 1e5) || values[a] != std::floor(values[a]))
      fail(ExitCode::Usage,
           "--size was given \"" + text + "\", expected are whole numbers from 1 to 100000.");
    size[a] = static_cast<int>(values[a]);
  }
  return size;
}

KindLine::KindLine(const std::string& kind, const std::string& description)
    : line("tessera-sample " + kind, description, 0, 0, true) {
  line.without({"--case"});
}

void KindLine::length(const std::string& name, double& target, const std::string& help, bool zero) {
  texts_.emplace_back();
  const std::string told =
      target > 0.0 ? " (default " + formatQuantity(target, Dimension::Length) + ")" : "";
  line.option(name, texts_.back(), help + told);
  apply_.push_back([name, zero, &target, &text = texts_.back()] {
    if (!text) return;
    target = parseQuantity(*text, Dimension::Length);
    if (!(target > 0.0 || (zero && target == 0.0)) || target > 1e3)
      fail(ExitCode::Usage, name + " was given \"" + *text +
                                "\", expected is a length above zero such as \"3 mm\".");
  });
}

void KindLine::degrees(const std::string& name, double& radians, const std::string& help) {
  numbers_.emplace_back();
  line.option(name, numbers_.back(), help);
  apply_.push_back([name, &radians, &number = numbers_.back()] {
    if (!number) return;
    if (!(*number >= 20.0 && *number <= 120.0))
      fail(ExitCode::Usage, name + " must be from 20 to 120 degrees.");
    radians = *number * M_PI / 180.0;
  });
}

std::optional<CommonOptions> KindLine::parse(int argc, const char* const* argv) {
  auto common = line.parse(argc, argv);
  if (!common) return common;
  applyCommonOptions(*common);
  for (const auto& apply : apply_) apply();
  checkTargets(*common);
  return common;
}

}  // namespace tessera
