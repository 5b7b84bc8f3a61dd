// SPDX-License-Identifier: GPL-3.0-or-later
// What the headers in text of NRRD and MetaImage have in common: lines, words and numbers, units,
// and voxels in a file of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

// The lines of a text, one after the other, ended by \n or \r\n.
class HeaderLines {
 public:
  explicit HeaderLines(std::string_view text) : text_(text) {}
  // Without its end; absent after the last one.
  std::optional<std::string_view> next();
  // Of the first byte after the line that next gave last.
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view withoutBlanks(std::string_view text);
std::string inLowerCase(std::string_view text);
std::vector<std::string_view> wordsOf(std::string_view text, std::string_view separators = " \t");

// Absent where the whole word is no such number.
std::optional<double> numberOf(std::string_view word);
std::optional<std::int64_t> wholeNumberOf(std::string_view word);

// Metres of a unit of length ("mm", "micron", "millimeters"); absent when it is not known.
std::optional<double> metresOf(std::string_view unit);

// Path of a file that a header names: inside of the header's folder only, whatever the header says.
// Throws StageError(BadInput) otherwise, and when folder is empty: for headers that are in memory.
std::filesystem::path pathBeside(const std::filesystem::path& folder, std::string_view file,
                                 const std::string& name);

}  // namespace tessera::preprocess::read
