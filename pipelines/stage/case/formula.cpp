// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/case/formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

namespace {

constexpr std::size_t longestFormula = 1000;  // characters
constexpr std::size_t deepestFormula = 64;    // levels, and values on the stack

struct FunctionOfOne {
  const char* name;
  double (*value)(double);
};
struct FunctionOfTwo {
  const char* name;  // an operator's sign, or a function
  double (*value)(double, double);
};

constexpr std::array functionsOfOne{FunctionOfOne{"-", [](double a) { return -a; }},
                                    FunctionOfOne{"sin", [](double a) { return std::sin(a); }},
                                    FunctionOfOne{"cos", [](double a) { return std::cos(a); }},
                                    FunctionOfOne{"tan", [](double a) { return std::tan(a); }},
                                    FunctionOfOne{"asin", [](double a) { return std::asin(a); }},
                                    FunctionOfOne{"acos", [](double a) { return std::acos(a); }},
                                    FunctionOfOne{"atan", [](double a) { return std::atan(a); }},
                                    FunctionOfOne{"sinh", [](double a) { return std::sinh(a); }},
                                    FunctionOfOne{"cosh", [](double a) { return std::cosh(a); }},
                                    FunctionOfOne{"tanh", [](double a) { return std::tanh(a); }},
                                    FunctionOfOne{"exp", [](double a) { return std::exp(a); }},
                                    FunctionOfOne{"log", [](double a) { return std::log(a); }},
                                    FunctionOfOne{"sqrt", [](double a) { return std::sqrt(a); }},
                                    FunctionOfOne{"abs", [](double a) { return std::abs(a); }}};

constexpr std::array functionsOfTwo{
    FunctionOfTwo{"+", [](double a, double b) { return a + b; }},
    FunctionOfTwo{"-", [](double a, double b) { return a - b; }},
    FunctionOfTwo{"*", [](double a, double b) { return a * b; }},
    FunctionOfTwo{"/", [](double a, double b) { return a / b; }},
    FunctionOfTwo{"^", [](double a, double b) { return std::pow(a, b); }},
    FunctionOfTwo{"pow", [](double a, double b) { return std::pow(a, b); }},
    FunctionOfTwo{"min", [](double a, double b) { return std::min(a, b); }},
    FunctionOfTwo{"max", [](double a, double b) { return std::max(a, b); }},
    FunctionOfTwo{"atan2", [](double a, double b) { return std::atan2(a, b); }}};

// Index of a name in one of the lists; nullopt: not in it.
template <class List>
std::optional<std::uint16_t> indexIn(const List& list, std::string_view name) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return static_cast<std::uint16_t>(k);
  return std::nullopt;
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// Recursive descent; every level of it counts towards the deepest.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, const Formula::Constants& constants, Formula& out)
      : text_(text), constants_(constants), out_(out) {}

  void parse() {
    sum();
    if (skip() != '\0') refuse("an operator or the end");
    if (most_ > deepestFormula) refuse("fewer values that wait for an operator");
  }

 private:
  using Kind = Formula::Kind;

  struct Level {
    explicit Level(FormulaParser& of) : parser(of) {
      if (++parser.depth_ > 4 * deepestFormula)
        parser.refuse("at most 64 levels of parentheses and signs");
    }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    FormulaParser& parser;
  };

  [[noreturn]] void refuse(const std::string& expected) {
    const char next = skip();
    const std::string found =
        next == '\0' ? "the end" : fmt::format("\"{}\"", text_.substr(at_, 12));
    fail(ExitCode::Usage,
         fmt::format("\"{}\": {} at character {}; expected {}", text_, found, at_ + 1, expected));
  }

  // The next character that is not blank; 0 at the end.
  char skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (skip() != c) return false;
    ++at_;
    return true;
  }

  void emit(Kind kind, std::uint16_t index, double number = 0.0) {
    out_.code_.push_back({kind, index, number});
    if (kind == Kind::Number || kind == Kind::Variable) most_ = std::max(most_, ++height_);
    if (kind == Kind::Two) --height_;
  }
  void emitTwo(std::string_view name) { emit(Kind::Two, *indexIn(functionsOfTwo, name)); }

  void sum() {
    const Level level(*this);
    product();
    for (;;) {
      if (take('+'))
        product(), emitTwo("+");
      else if (take('-'))
        product(), emitTwo("-");
      else
        return;
    }
  }

  void product() {
    const Level level(*this);
    signedPower();
    for (;;) {
      if (take('*'))
        signedPower(), emitTwo("*");
      else if (take('/'))
        signedPower(), emitTwo("/");
      else
        return;
    }
  }

  void signedPower() {
    const Level level(*this);
    if (take('-')) {
      signedPower();
      emit(Kind::One, *indexIn(functionsOfOne, "-"));
    } else if (take('+')) {
      signedPower();
    } else {
      operand();
      if (take('^')) signedPower(), emitTwo("^");
    }
  }

  void operand() {
    const char next = skip();
    if (isDigit(next) || next == '.') return number();
    if (isLetter(next)) return name();
    if (!take('(')) refuse("a number, a name or \"(\"");
    sum();
    if (!take(')')) refuse("\")\"");
  }

  void number() {
    double value = 0.0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) refuse("a finite number");
    at_ = static_cast<std::size_t>(end - text_.data());
    emit(Kind::Number, 0, value);
  }

  void name() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string word(text_.substr(first, at_ - first));
    if (take('(')) return call(word, first);
    const auto& variables = out_.variables_;
    const auto found = std::find(variables.begin(), variables.end(), word);
    if (found != variables.end())
      return emit(Kind::Variable, static_cast<std::uint16_t>(found - variables.begin()));
    if (word == "pi") return emit(Kind::Number, 0, std::numbers::pi);
    const std::optional<double> value = constants_ ? constants_(word) : std::nullopt;
    if (!value) {
      at_ = first;
      refuse("a number, pi, or one of " + enumeration(variables));
    }
    out_.used_.push_back(*value);
    emit(Kind::Number, 0, *value);
  }

  void call(const std::string& word, std::size_t first) {
    const auto one = indexIn(functionsOfOne, word);
    const auto two = indexIn(functionsOfTwo, word);
    if (!one && !two) {
      at_ = first;
      std::vector<std::string> known;
      for (const auto& function : functionsOfOne)
        if (isLetter(function.name[0])) known.emplace_back(function.name);
      for (const auto& function : functionsOfTwo)
        if (isLetter(function.name[0])) known.emplace_back(function.name);
      refuse("a function: " + enumeration(known));
    }
    sum();
    if (two) {
      if (!take(',')) refuse("\",\" and a second value");
      sum();
    }
    if (!take(')')) refuse("\")\"");
    emit(one ? Kind::One : Kind::Two, one ? *one : *two);
  }

  std::string_view text_;
  const Formula::Constants& constants_;
  Formula& out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t height_ = 0;
  std::size_t most_ = 0;
};

Formula Formula::parse(std::string_view text, std::vector<std::string> variables,
                       const Constants& constants) {
  if (text.size() > longestFormula)
    fail(ExitCode::Usage, fmt::format("a formula of {} characters; at most {} are possible",
                                      text.size(), longestFormula));
  Formula out;
  out.text_ = text;
  out.variables_ = std::move(variables);
  FormulaParser(out.text_, constants, out).parse();
  return out;
}

double Formula::operator()(std::span<const double> values) const {
  std::array<double, deepestFormula> stack{};
  std::size_t height = 0;
  for (const Instruction& next : code_) {
    switch (next.kind) {
      case Kind::Number:
        stack[height++] = next.number;
        break;
      case Kind::Variable:
        stack[height++] = values[next.index];
        break;
      case Kind::One:
        stack[height - 1] = functionsOfOne[next.index].value(stack[height - 1]);
        break;
      case Kind::Two:
        --height;
        stack[height - 1] = functionsOfTwo[next.index].value(stack[height - 1], stack[height]);
        break;
    }
  }
  return stack[0];
}

}  // namespace tessera::stage
