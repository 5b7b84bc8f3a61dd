// SPDX-License-Identifier: GPL-3.0-or-later
// What the kinds of tessera-sample share on their command lines.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/command_line.hpp"
#include "preprocess/lattice/frame.hpp"

namespace tessera {

// count finite numbers, as in "1,2,0.5". Throws StageError(Usage) that names the option.
std::vector<double> parseNumbers(const std::string& option, const std::string& text,
                                 std::size_t count);
// --size with count whole numbers from 1 to 100000; the others are 1.
Int3 parseSize(const std::string& text, std::size_t count);

// The command line of one kind, with options that go straight into its shape. Targets must outlive
// parse().
class KindLine {
 public:
  KindLine(const std::string& kind, const std::string& description);
  // A length in metres, above zero unless zero is allowed; a target of 0 has no default to tell.
  void length(const std::string& name, double& target, const std::string& help, bool zero = false);
  // 20 to 120 degrees, kept in radians.
  void degrees(const std::string& name, double& radians, const std::string& help);
  // As CommandLine::parse; applies the common options.
  std::optional<CommonOptions> parse(int argc, const char* const* argv);

  CommandLine line;  // for options of other types

 private:
  std::deque<std::optional<std::string>> texts_;  // a deque: addresses stay
  std::deque<std::optional<double>> numbers_;
  std::vector<std::function<void()>> apply_;
};

}  // namespace tessera
