// SPDX-License-Identifier: GPL-3.0-or-later
// Command line of a sample kind: options that are stored directly into a shape, with their ranges,
// and the format by the extension of -o.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::sample {

// Finite numbers, as in "1,2,0.5". Throws StageError(Usage) naming the option.
std::vector<double> parseNumbers(const std::string& option, const std::string& text,
                                 std::size_t count);
// Integers from 1 to 100000; the remaining ones of the three are 1.
Int3 parseSize(const std::string& option, const std::string& text, std::size_t count);

// Output to which an option applies, for kinds that write surfaces and images.
enum class For { Any, Surface, Image };

// Command line of one kind. Targets must outlive parse() and hold the defaults, which the help
// shows. An option out of range, or not for the output's format, throws StageError(Usage).
class KindLine {
 public:
  // Extensions with their dot, such as ".stl"; empty: no such output.
  KindLine(const std::string& kind, const std::string& description, std::string surface,
           std::string image);
  // Length in metres, above zero; a target of 0 means no default.
  void length(const std::string& name, double& target, const std::string& help, For use = For::Any);
  void lengthOrZero(const std::string& name, double& target, const std::string& help);
  // Degrees on the command line, radians in the target.
  void degrees(const std::string& name, double& radians, double low, double high,
               const std::string& help);
  void number(const std::string& name, double& target, double low, double high,
              const std::string& help, For use = For::Any);
  void count(const std::string& name, std::int64_t& target, std::int64_t low, std::int64_t high,
             const std::string& help, For use = For::Any);
  // "NX,NY,NZ", or with two numbers "NX,NY".
  void size(const std::string& name, Int3& target, std::size_t numbers, const std::string& help,
            For use = For::Any);
  void vector(const std::string& name, std::array<double, 3>& target, const std::string& help,
              For use = For::Any);
  void flag(const std::string& name, bool& target, const std::string& help, For use = For::Any);
  void text(const std::string& name, std::string& target, const std::string& help);
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& words,
              const std::string& help);
  void example(const std::string& line) { line_.example(line); }

  // Applies the common options. nullopt: --help or --version was handled.
  std::optional<stage::CommonOptions> parse(int argc, const char* const* argv);
  [[nodiscard]] bool given(const std::string& name) const;
  // After parse(): whether to write a surface. By the output's extension; in a plan without output
  // by the options, otherwise a surface unless imageFirst() was called.
  void imageFirst() { imageFirst_ = true; }
  bool wantsSurface(const stage::CommonOptions& common) const;

 private:
  struct Entry {
    std::string name;
    For use = For::Any;
    std::function<bool()> given;
  };
  std::optional<std::string>& textOption(const std::string& name, const std::string& type,
                                         const std::string& help, For use);

  stage::CommandLine line_;
  std::string surface_;
  std::string image_;
  bool imageFirst_ = false;
  std::deque<std::optional<std::string>> texts_;  // deques: stable addresses
  std::deque<std::optional<double>> numbers_;
  std::deque<std::optional<std::int64_t>> counts_;
  std::vector<Entry> entries_;
  std::vector<std::function<void()>> apply_;
};

}  // namespace tessera::preprocess::sample
