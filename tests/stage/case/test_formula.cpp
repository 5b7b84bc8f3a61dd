// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas of the case file: values, precedence, bounds of hostile texts.
#include "pipelines/stage/case/formula.hpp"

#include <cmath>

#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::stage;

namespace {

double valueOf(const std::string& text, double x = 0.0, double y = 0.0) {
  const Formula formula =
      Formula::parse(text, {"x", "y"}, [](const std::string& name) -> std::optional<double> {
        if (name == "U") return 2.5;
        return std::nullopt;
      });
  const double values[] = {x, y};
  return formula(values);
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

}  // namespace

TEST_CASE("Formula: operators bind as in mathematics", "[unit]") {
  CHECK(valueOf("1 + 2*3") == 7.0);
  CHECK(valueOf("(1 + 2)*3") == 9.0);
  CHECK(valueOf("2 - 3 - 4") == -5.0);
  CHECK(valueOf("16/4/2") == 2.0);
  CHECK(valueOf("2^3^2") == 512.0);
  CHECK(valueOf("-2^2") == -4.0);
  CHECK(valueOf("2^-2") == 0.25);
  CHECK(valueOf("2*-3") == -6.0);
  CHECK(valueOf(" +x - -y ", 1.0, 2.0) == 3.0);
  CHECK(valueOf("1e-3*x", 5.0) == 5e-3);
  CHECK(valueOf(".5 + 1.") == 1.5);
}

TEST_CASE("Formula: functions, variables and constants", "[unit]") {
  CHECK(valueOf("U*sin(2*pi*x)*cos(y)", 0.25, 0.0) == Approx(2.5));
  CHECK(valueOf("max(x, y) - min(x, y)", 3.0, -4.0) == 7.0);
  CHECK(valueOf("pow(x, 2) + atan2(0, 1) + abs(-1)", 3.0) == 10.0);
  CHECK(valueOf("exp(log(sqrt(16)))") == Approx(4.0));
  CHECK(valueOf("tanh(0) + sinh(0) + cosh(0) + tan(0) + asin(0) + acos(1) + atan(0)") == 1.0);
  CHECK(std::isnan(valueOf("sqrt(x)", -1.0)));
  const Formula formula = Formula::parse(
      "a*x + b", {"x"},
      [](const std::string& name) -> std::optional<double> { return name == "a" ? 2.0 : 3.0; });
  CHECK(formula.constants() == std::vector<double>{2.0, 3.0});
}

TEST_CASE("Formula: mistakes are named with their place", "[unit]") {
  const auto refused = [](const std::string& text, const std::vector<std::string>& facts) {
    INFO(text);
    checkError(
        ExitCode::Usage, [&] { valueOf(text); }, facts);
  };
  refused("", {"the end", "character 1"});
  refused("1 +", {"the end"});
  refused("1 2", {"\"2\"", "character 3"});
  refused("(1", {"\")\""});
  refused("z", {"x and y"});
  refused("sine(1)", {"sin, cos"});
  refused("max(1)", {"\",\""});
  refused("sin 1", {"x and y"});
  refused("1e999", {"number"});
  refused("1;2", {"\";2\""});
  refused("x(2)", {"a function"});
}

TEST_CASE("Formula: long and deep texts are refused, those at the limits work", "[unit]") {
  checkError(ExitCode::Usage, [&] { valueOf(repeated("1+", 500) + "1"); }, {"1001", "1000"});
  CHECK(valueOf(repeated("1+", 499) + "1") == 500.0);
  CHECK(valueOf(repeated("(", 60) + "1" + repeated(")", 60)) == 1.0);
  checkError(ExitCode::Usage, [&] { valueOf(repeated("(", 400) + "1" + repeated(")", 400)); },
             {"levels"});
  checkError(ExitCode::Usage, [&] { valueOf(repeated("-", 900) + "1"); }, {"levels"});
  checkError(ExitCode::Usage, [&] { valueOf(repeated("2^", 400) + "1"); }, {"levels"});
  checkError(ExitCode::Usage, [&] { valueOf(repeated("sin(", 200) + "1"); }, {"levels"});
  // Values that wait: of right-hand operators within parentheses.
  CHECK(valueOf(repeated("1+(", 60) + "1" + repeated(")", 60)) == 61.0);
  checkError(ExitCode::Usage, [&] { valueOf(repeated("1+(", 66) + "1" + repeated(")", 66)); }, {});
}
