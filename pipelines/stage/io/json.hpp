// SPDX-License-Identifier: GPL-3.0-or-later
// JSON with keys in the order of writing. Integers are read exactly: nlohmann's conversion would
// truncate numbers that do not fit, or be undefined ("nodes": 3.5e38).
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::stage {

template <class T, class = void>
struct ExactNumbers : nlohmann::adl_serializer<T> {};

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

template <WholeNumber T>
struct ExactNumbers<T, void> : nlohmann::adl_serializer<T> {
  // Throws Json::exception.
  template <class AnyJson>
  static void from_json(const AnyJson& json, T& value) {  // NOLINT: name required by nlohmann
    const auto take = [&](auto whole) {
      if (!std::in_range<T>(whole)) return false;
      value = static_cast<T>(whole);
      return true;
    };
    if (json.is_number_unsigned()
            ? take(json.template get_ref<const std::uint64_t&>())
            : json.is_number_integer() && take(json.template get_ref<const std::int64_t&>()))
      return;
    throw AnyJson::type_error::create(302, "expected a whole number in range, found " + json.dump(),
                                      &json);
  }
};

using Json =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t,
                         std::uint64_t, double, std::allocator, ExactNumbers>;

// Throws Json::exception if the text is not JSON, or nested more than 200 levels deep, which our
// files are not and functions that call themselves could not bear.
Json parseJson(std::string_view text);

// The same; is_discarded() instead of an exception.
Json parseJsonOrDiscarded(std::string_view text);

// Bytes that are not UTF-8, e.g. in file names, become U+FFFD. indent: -1 for one line.
std::string jsonText(const Json& json, int indent);

}  // namespace tessera::stage

// Compiled in json.cpp alone.
extern template class nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                           std::int64_t, std::uint64_t, double, std::allocator,
                                           tessera::stage::ExactNumbers>;
