// SPDX-License-Identifier: GPL-3.0-or-later
// Name of the machine and time of day, as reports have them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <string>

#include "pipelines/stage/system/machine.hpp"

using namespace tessera::stage;

TEST_CASE("Machine: the processor has a name of one printable line", "[unit]") {
  const std::string name = processorName();
  CHECK_FALSE(name.empty());
  CHECK(name.size() <= 100);
  CHECK(std::none_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
}

TEST_CASE("Machine: the time of day is UTC to the minute", "[unit]") {
  const std::string now = utcMinute();
  const std::string form = "dddd-dd-dd dd:dd";
  REQUIRE(now.size() == form.size());
  for (std::size_t i = 0; i < form.size(); ++i)
    CHECK((form[i] == 'd' ? std::isdigit(static_cast<unsigned char>(now[i])) != 0
                          : now[i] == form[i]));
}
