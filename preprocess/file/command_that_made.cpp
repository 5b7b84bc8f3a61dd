// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "pipelines/stage/text.hpp"
#include "preprocess/file/lattice_file.hpp"

namespace tessera::preprocess::file {

namespace {

using Words = std::vector<std::string>;

bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Word for a POSIX shell: in single quotes unless it is plain.
std::string shellWord(const std::string& text) {
  const auto isPlain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._,=+/:-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), isPlain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Words wordsOf(const std::string& text) {
  Words words{""};
  for (const char c : text)
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty()) words.pop_back();
  return words;
}

// Entries of a repeatable option, which provenance joins by blanks: an entry of --cut ends with its
// sixth number, one of the others begins with a word that has a "=" or is a number.
Words entriesOf(const std::string& name, const std::string& text) {
  Words entries;
  for (const std::string& word : wordsOf(text)) {
    const bool isCut = name == "cut";
    const bool begins =
        entries.empty() ||
        (isCut ? std::count(entries.back().begin(), entries.back().end(), ',') == 4 &&
                     entries.back().back() != ','
               : word.find('=') != std::string::npos ||
                     word.find_first_not_of("0123456789.") == std::string::npos);
    if (begins)
      entries.push_back(word);
    else
      entries.back() += (isCut ? "" : " ") + word;
  }
  return entries;
}

// --pore for single values, --threshold for a range.
void addValues(const std::string& text, Words& words) {
  const Words ranges = wordsOf(text);
  std::string labels;
  for (const std::string& range : ranges) {
    const std::string low = range.substr(0, range.find(','));
    const std::string high = range.substr(range.find(',') + 1);
    labels += (labels.empty() ? "" : ",") + (low == high ? low : low + "-" + high);
  }
  const bool isThreshold = ranges.size() == 1 && labels.find('-') != std::string::npos;
  words.emplace_back(isThreshold ? "--threshold" : "--pore");
  words.push_back(isThreshold ? ranges.front() : labels);
}

void addOption(const std::string& name, const std::string& value, Words& words) {
  const auto isOneOf = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
  };
  if (value.empty()) return;
  if (name == "values") return addValues(value, words);
  if (name == "smooth") return words.emplace_back("--smooth"), void();
  const Words entries =
      isOneOf({"cut", "extend", "name", "wall"}) ? entriesOf(name, value) : Words{value};
  for (const std::string& entry : entries) {
    words.push_back("--" + name);
    words.push_back(isOneOf({"spacing", "weld", "voxel"}) ? entry + "m" : entry);
  }
}

}  // namespace

std::string commandThatMade(const stage::Provenance& provenance, const std::string& output) {
  Words words{provenance.program};
  for (const auto& [name, value] : provenance.options) addOption(name, value, words);
  // Further inputs of an image are the files of its voxels, which its header names.
  const bool isImage = std::any_of(provenance.options.begin(), provenance.options.end(),
                                   [](const auto& option) { return option.first == "values"; });
  for (const stage::ProvenanceInput& input : provenance.inputs) {
    words.push_back(input.name.starts_with('-') ? "./" + input.name : input.name);
    if (isImage) break;
  }
  words.emplace_back("-o");
  words.push_back(output.starts_with('-') ? "./" + output : output);
  for (std::string& word : words) {
    if (std::any_of(word.begin(), word.end(), isControl)) return "";
    word = shellWord(word);
  }
  return stage::joined(words, " ");
}

}  // namespace tessera::preprocess::file
