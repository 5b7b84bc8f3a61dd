// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas of the case file: "U*sin(2*pi*x/L)*cos(k*y)^2". Operators + - * / ^ (right to left,
// binds tighter than a sign), parentheses, functions (sin cos tan asin acos atan sinh cosh tanh exp
// log sqrt abs; min max pow atan2 of two), the number pi, variables and constants. SI numbers
// without units.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::stage {

class Formula {
 public:
  // Value of a name that is no variable; nullopt: unknown.
  using Constants = std::function<std::optional<double>(const std::string&)>;

  // At most 1000 characters and 64 levels of parentheses, signs and operators that wait for their
  // right side. Throws StageError(Usage): finding, character, expectation.
  static Formula parse(std::string_view text, std::vector<std::string> variables,
                       const Constants& constants = nullptr);

  // The value at values of the variables, in their order; not finite where the formula is not.
  [[nodiscard]] double operator()(std::span<const double> values) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  // Constants in the order of the text, for hashes: with the text they determine all values.
  [[nodiscard]] const std::vector<double>& constants() const { return used_; }

 private:
  friend class FormulaParser;

  // An instruction of the postfix form: a number, a variable (index), or a function of the
  // top of the stack.
  enum class Kind : std::uint8_t { Number, Variable, One, Two };
  struct Instruction {
    Kind kind = Kind::Number;
    std::uint16_t index = 0;
    double number = 0.0;
  };

  std::string text_;
  std::vector<std::string> variables_;
  std::vector<Instruction> code_;
  std::vector<double> used_;
};

}  // namespace tessera::stage
