// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "pipelines/stage/io/json.hpp"

using namespace tessera;
using namespace tessera::stage;

TEST_CASE("JSON: whole numbers are read from whole numbers that their type holds", "[unit]") {
  const Json json = Json::parse(
      R"({"most": 18446744073709551615, "beyond": 18446744073709551616, "large": 3.5e38,
          "half": 0.5, "whole": 2.0, "negative": -1, "int": 2147483648, "list": [1, 1e38]})");
  CHECK(json.at("most").get<std::uint64_t>() == UINT64_MAX);
  CHECK_THROWS_AS(json.at("most").get<std::int64_t>(), Json::exception);
  for (const char* key : {"beyond", "large", "half", "whole", "negative"}) {
    CHECK_THROWS_AS(json.at(key).get<std::uint64_t>(), Json::exception);
    std::uint64_t value = 7;
    CHECK_THROWS_AS(json.at(key).get_to(value), Json::exception);
    CHECK(value == 7);
  }
  CHECK(json.at("negative").get<int>() == -1);
  CHECK_THROWS_AS(json.at("int").get<int>(), Json::exception);
  CHECK_THROWS_AS((json.at("list").get<std::array<int, 2>>()), Json::exception);
  CHECK_THROWS_AS(json.at("list").get<std::vector<int>>(), Json::exception);
  CHECK(json.at("list").get<std::vector<double>>() == std::vector<double>{1.0, 1e38});
  CHECK(json.at("large").get<double>() == 3.5e38);
}
