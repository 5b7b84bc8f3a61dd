// SPDX-License-Identifier: GPL-3.0-or-later
// A program's options as a man page and as bash completion, generated from the description that
// --help prints, so that they agree.
#pragma once

#include <string>
#include <vector>

namespace tessera::stage {

struct OptionHelp {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // placeholder such as "FILE"; empty for flags
  std::vector<std::string> words;  // allowed values of a choice
  std::string help;
};

struct ProgramHelp {
  std::string program;  // "tessera-solver"; with a kind "tessera-sample tube"
  std::string version;
  std::string description;
  bool takesInputs = true;
  std::vector<OptionHelp> options;
  std::vector<std::string> examples;
};

// A page of section 1 with man(7) macros.
std::string manPage(const ProgramHelp& help);

// A bash function that completes options, their words and files. A program with kinds completes the
// kinds; their own functions, from the same file, do the rest.
std::string bashCompletion(const ProgramHelp& help);

}  // namespace tessera::stage
