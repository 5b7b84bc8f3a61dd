// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::sample {

using stage::Dimension;
using stage::ExitCode;
using stage::fail;

namespace {
std::string listed(const std::array<double, 3>& values, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? "," : "") + stage::number(values[k]);
  return text;
}
}  // namespace

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
    fail(ExitCode::Usage, fmt::format("{} is \"{}\"; expected {} numbers such as {}.", option, text,
                                      count, count == 3 ? "64,64,64" : "64,48"));
  return values;
}

Int3 parseSize(const std::string& option, const std::string& text, std::size_t count) {
  Int3 size{1, 1, 1};
  const std::vector<double> values = parseNumbers(option, text, count);
  for (std::size_t a = 0; a < count; ++a) {
    if (!(values[a] >= 1.0 && values[a] <= 1e5) || values[a] != std::floor(values[a]))
      fail(ExitCode::Usage,
           fmt::format("{} is \"{}\"; expected whole numbers from 1 to 100000.", option, text));
    size[a] = static_cast<int>(values[a]);
  }
  return size;
}

KindLine::KindLine(const std::string& kind, const std::string& description, std::string surface,
                   std::string image)
    : line_("tessera-sample " + kind, description, 0, 0, true),
      surface_(std::move(surface)),
      image_(std::move(image)) {
  line_.without({"--case"});
  std::string endings = surface_.empty() ? image_ : surface_;
  if (!surface_.empty() && !image_.empty()) endings += "|" + image_.substr(1);
  line_.output("FILE" + endings);
  line_.group("Shape");
}

std::optional<std::string>& KindLine::textOption(const std::string& name, const std::string& type,
                                                 const std::string& help, For use) {
  texts_.emplace_back();
  line_.option(name + " " + type, texts_.back(), help);
  entries_.push_back({name, use, [&text = texts_.back()] { return text.has_value(); }});
  return texts_.back();
}

void KindLine::length(const std::string& name, double& target, const std::string& help, For use) {
  const std::string note =
      target > 0.0 ? " (default " + stage::formatQuantity(target, Dimension::Length) + ")" : "";
  auto& text = textOption(name, "LENGTH", help + note, use);
  apply_.push_back([name, &target, &text] {
    if (!text) return;
    target = stage::parseQuantity(*text, Dimension::Length);
    if (!(target > 0.0) || target > 1e3)
      fail(
          ExitCode::Usage,
          fmt::format("{} is \"{}\"; expected a length above zero such as \"3 mm\".", name, *text));
  });
}

void KindLine::lengthOrZero(const std::string& name, double& target, const std::string& help) {
  auto& text = textOption(
      name, "LENGTH", help + " (default " + stage::formatQuantity(target, Dimension::Length) + ")",
      For::Any);
  apply_.push_back([name, &target, &text] {
    if (!text) return;
    target = stage::parseQuantity(*text, Dimension::Length);
    if (!(target >= 0.0) || target > 1e3)
      fail(ExitCode::Usage,
           fmt::format("{} is \"{}\"; expected 0 or a length such as \"3 mm\".", name, *text));
  });
}

void KindLine::degrees(const std::string& name, double& radians, double low, double high,
                       const std::string& help) {
  numbers_.emplace_back();
  auto& number = numbers_.back();
  line_.option(name + " DEGREES", number,
               help + " (default " + stage::number(radians * 180.0 / M_PI) + ")");
  entries_.push_back({name, For::Any, [&number] { return number.has_value(); }});
  apply_.push_back([=, &radians, &number] {
    if (!number) return;
    if (!(*number >= low && *number <= high))
      fail(ExitCode::Usage, fmt::format("{} must be from {} to {} degrees.", name,
                                        stage::number(low), stage::number(high)));
    radians = *number * M_PI / 180.0;
  });
}

void KindLine::number(const std::string& name, double& target, double low, double high,
                      const std::string& help, For use) {
  numbers_.emplace_back();
  auto& number = numbers_.back();
  const std::string note = target != 0.0 ? " (default " + stage::number(target) + ")" : "";
  line_.option(name, number, help + note);
  entries_.push_back({name, use, [&number] { return number.has_value(); }});
  apply_.push_back([=, &target, &number] {
    if (!number) return;
    if (!(*number >= low && *number <= high))
      fail(ExitCode::Usage,
           fmt::format("{} is {}; expected {} to {}.", name, stage::number(*number),
                       stage::number(low), stage::number(high)));
    target = *number;
  });
}

void KindLine::count(const std::string& name, std::int64_t& target, std::int64_t low,
                     std::int64_t high, const std::string& help, For use) {
  counts_.emplace_back();
  auto& count = counts_.back();
  const std::string note = target != 0 ? fmt::format(" (default {})", target) : "";
  line_.option(name, count, help + note);
  entries_.push_back({name, use, [&count] { return count.has_value(); }});
  apply_.push_back([=, &target, &count] {
    if (!count) return;
    if (*count < low || *count > high)
      fail(ExitCode::Usage, fmt::format("{} is {}; expected {} to {}.", name, *count, low, high));
    target = *count;
  });
}

void KindLine::size(const std::string& name, Int3& target, std::size_t numbers,
                    const std::string& help, For use) {
  const std::array<double, 3> defaults{double(target[0]), double(target[1]), double(target[2])};
  const std::string note = target[0] > 0 ? " (default " + listed(defaults, numbers) + ")" : "";
  auto& text = textOption(name, numbers == 2 ? "NX,NY" : "NX,NY,NZ", help + note, use);
  apply_.push_back([name, &target, &text, numbers] {
    if (text) target = parseSize(name, *text, numbers);
  });
}

void KindLine::vector(const std::string& name, std::array<double, 3>& target,
                      const std::string& help, For use) {
  auto& text = textOption(name, "X,Y,Z", help + " (default " + listed(target, 3) + ")", use);
  apply_.push_back([name, &target, &text] {
    if (!text) return;
    const std::vector<double> v = parseNumbers(name, *text, 3);
    target = {v[0], v[1], v[2]};
  });
}

void KindLine::flag(const std::string& name, bool& target, const std::string& help, For use) {
  line_.flag(name, target, help);
  entries_.push_back({name, use, [&target] { return target; }});
}

void KindLine::text(const std::string& name, std::string& target, const std::string& help) {
  auto& text = textOption(name, "FILE", help, For::Any);
  apply_.push_back([&target, &text] {
    if (text) target = *text;
  });
}

void KindLine::choice(const std::string& name, std::string& target,
                      const std::vector<std::string>& words, const std::string& help) {
  line_.choice(name, target, words, help);
}

std::optional<stage::CommonOptions> KindLine::parse(int argc, const char* const* argv) {
  auto common = line_.parse(argc, argv);
  if (!common) return common;
  stage::applyCommonOptions(*common);
  for (const auto& apply : apply_) apply();
  stage::checkTargets(*common);
  return common;
}

bool KindLine::given(const std::string& name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.name == name && e.given(); });
}

bool KindLine::wantsSurface(const stage::CommonOptions& common) const {
  const auto givenFor = [&](For use) {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& e) { return e.use == use && e.given(); });
  };
  const std::string found = common.output.extension().string();
  bool surface = image_.empty() || givenFor(For::Surface) ||
                 (!surface_.empty() && !imageFirst_ && !givenFor(For::Image));
  if (!common.output.empty()) {
    surface = !surface_.empty() && found == surface_;
    if (!surface && (image_.empty() || found != image_))
      fail(ExitCode::Usage,
           fmt::format(
               "the output is {}, but this kind is written as {}{}{}: rename it accordingly.",
               common.output.filename().string(), surface_,
               surface_.empty() || image_.empty() ? "" : " or ", image_));
  }
  for (const Entry& e : entries_)
    if (e.given() && e.use == (surface ? For::Image : For::Surface))
      fail(ExitCode::Usage,
           fmt::format("{} is for {} only, but the output is {}: omit it or rename the output.",
                       e.name, surface ? image_ : surface_, surface ? surface_ : image_));
  return surface;
}

}  // namespace tessera::preprocess::sample
