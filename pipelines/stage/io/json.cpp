// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/json.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                    std::int64_t, std::uint64_t, double, std::allocator,
                                    tessera::stage::ExactNumbers>;

namespace tessera::stage {

namespace {

constexpr std::size_t deepest = 200;

// Levels of brackets outside of strings; an upper bound where the text is not JSON.
bool isTooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool inString = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') inString = !inString;
    if (inString) {
      if (c == '\\') ++at;
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > deepest) return true;
  }
  return false;
}

}  // namespace

Json parseJson(std::string_view text) {
  if (isTooDeep(text))
    throw Json::other_error::create(599, "nested too deeply", static_cast<const Json*>(nullptr));
  return Json::parse(text);
}

Json parseJsonOrDiscarded(std::string_view text) {
  if (isTooDeep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

std::string jsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera::stage
