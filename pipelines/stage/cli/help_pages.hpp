// SPDX-License-Identifier: GPL-3.0-or-later
// A program's options as a man page and as bash completion: the same description that --help
// prints, so that none of them can be out of date.
#pragma once

#include <string>
#include <vector>

namespace tessera::stage {

struct OptionHelp {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // what stands after it, such as "FILE"; empty for flags
  std::vector<std::string> words;  // what the value can be, when that is a list
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

// A page of section 1 for man(7) macros.
std::string manPage(const ProgramHelp& help);

// A bash function that completes options, their words and files. A program of kinds completes its
// kinds and leaves the rest to the functions of those, which come from the same file.
std::string bashCompletion(const ProgramHelp& help);

}  // namespace tessera::stage
