// SPDX-License-Identifier: GPL-3.0-or-later
// A program's options as --help, man page, page of the manual and completion of three shells, all
// from one description, so that they agree.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::stage {

struct OptionHelp {
  std::vector<std::string> names;  // "-o", "--output"
  // Type of the value: "LENGTH", "N", "FILE", "FILE.json" (completed by its ending), "FOLDER";
  // empty for flags.
  std::string value;
  std::vector<std::string> words;  // allowed values of a choice
  std::string help;
  std::string group;  // heading, such as "Openings"
  bool repeatable = false;
};

struct ProgramHelp {
  std::string program;  // "tessera-solver"; with a kind "tessera-sample tube"
  std::string version;
  std::string description;           // paragraphs; an indented line is kept as it is
  std::string inputs;                // "geom.tiles"; empty: the program takes none
  std::vector<std::string> endings;  // of inputs, without the dot; empty: any file
  std::string output;                // "FILE.fields", "[FILE.fields]" if optional; empty: none
  std::vector<OptionHelp> options;   // in the order in which they are shown
  std::vector<std::string> examples;
  using Notes = std::vector<std::pair<std::string, std::string>>;
  Notes files;        // name and meaning
  Notes environment;  // variable and effect
};

// Text for a terminal of this many columns; only an unbreakable word is wider.
std::string helpText(const ProgramHelp& help, std::size_t columns);

// Columns of the terminal on stdout, or COLUMNS, from 40 to 160; 80 where both are unknown.
std::size_t terminalColumns();

// A page of section 1 with man(7) macros.
std::string manPage(const ProgramHelp& help);

// A section of the manual, in Markdown.
std::string markdownPage(const ProgramHelp& help);

// Functions that complete options, their words and files by ending. A program with kinds completes
// the kinds; their own functions, from the same file, do the rest.
std::string bashCompletion(const ProgramHelp& help);
std::string zshCompletion(const ProgramHelp& help);
std::string fishCompletion(const ProgramHelp& help);

}  // namespace tessera::stage
