// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/json.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                    std::int64_t, std::uint64_t, double, std::allocator,
                                    tessera::stage::ExactNumbers>;

namespace tessera::stage {

Json parseJson(std::string_view text) { return Json::parse(text); }

Json parseJsonOrDiscarded(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string jsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera::stage
