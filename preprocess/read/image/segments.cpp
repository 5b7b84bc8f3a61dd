// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/segments.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {

std::int64_t SegmentKeys::wholeNumber(std::string_view key, std::string_view text) const {
  const std::optional<std::int64_t> value = wholeNumberOf(withoutBlanks(text));
  if (!value)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has \"{}\" as {}, expected a whole number; it is damaged: export it "
                    "again.",
                    file_, text.substr(0, 40), key));
  return *value;
}

void SegmentKeys::take(std::string_view key, std::string_view value) {
  constexpr std::string_view prefix = "Segment";
  if (!key.starts_with(prefix)) return;
  int number = 0;
  const char* const end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data() + prefix.size(), end, number);
  if (error != std::errc{} || number < 0 || stop == end || *stop != '_') return;
  const std::string_view field(stop + 1, static_cast<std::size_t>(end - stop - 1));
  if (field != "Name" && field != "LabelValue" && field != "Layer") return;
  Given& given = given_[number];
  if (given_.size() > mostSegments)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} has more than {} segments; it is damaged: export it again.", file_,
                            mostSegments));
  if (field == "Name") given.name = segmentName(value, number);
  if (field == "LabelValue") given.value = wholeNumber(key, value);
  if (field == "Layer") given.layer = wholeNumber(key, value);
}

std::vector<Segment> SegmentKeys::segments(int layers) const {
  const bool haveLayers = std::any_of(given_.begin(), given_.end(),
                                      [](const auto& segment) { return segment.second.layer; });
  std::unordered_set<std::string> taken;
  std::vector<Segment> found;
  for (const auto& [number, given] : given_) {
    const std::int64_t layer = given.layer.value_or(haveLayers || layers == 1 ? 0 : number);
    if (layer < 0 || layer >= layers)
      stage::fail(
          stage::ExitCode::BadInput,
          fmt::format("{} has segment {} in layer {}, expected from 0 to {}; it is damaged: "
                      "export it again.",
                      file_, number, layer, layers - 1));
    const std::string name = given.name.empty() ? segmentName("", number) : given.name;
    found.push_back({takeName(taken, name), given.value.value_or(1), static_cast<int>(layer)});
  }
  return found;
}

std::string segmentName(std::string_view text, int number) {
  constexpr std::size_t longest = 56;  // with a suffix of takeName() at most 64
  std::string name(withoutBlanks(text.substr(0, 4 * longest)));
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 32 || c == 127 || c == ',' || c == '"' || c == '=') c = '_';
  if (name.empty()) return fmt::format("segment{}", static_cast<std::int64_t>(number) + 1);
  const bool hasLetter = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) > 127 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!hasLetter) name = "segment_" + name;
  return std::string(stage::beginningInBytes(name, longest));
}

}  // namespace tessera::preprocess::read
