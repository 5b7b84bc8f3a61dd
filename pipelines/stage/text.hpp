// SPDX-License-Identifier: GPL-3.0-or-later
// Text of messages and reports: libfmt, shared forms, and the known word nearest to a misspelt one.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::stage {

// A value with so many significant digits, without trailing zeros (printf's %g): "0.0125", "1e-07".
std::string number(double value, int digits = 6);

// A part of a whole in percent, likewise, but without exponents from 1 % on: 0.125 is "12.5 %".
std::string percent(double part, int digits = 3);

// Words with a separator between each two.
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

// An enumeration: "a", "a and b", "a, b and c"; "none" without words. last: before the last word.
std::string enumeration(std::span<const std::string> words, std::string_view last = " and ");

// The first words of many: "a, b and 3 more".
std::string firstOf(std::span<const std::string> words, std::size_t most = 8);

// A count with its noun: "1 node", "2 nodes". many: where the plural is not the noun with an s.
std::string plural(std::uint64_t count, std::string_view one, std::string_view many = {});

// Bytes for people, in powers of ten: "812 bytes", "1.50 MB", "2.25 GB".
std::string bytesText(std::uint64_t bytes);

// Characters of UTF-8: bytes that do not continue one.
std::size_t widthOf(std::string_view text);

// The beginning of a text, at most so many characters of UTF-8, or so many bytes that make up whole
// ones.
std::string_view beginningOf(std::string_view text, std::size_t characters);
std::string_view beginningInBytes(std::string_view text, std::size_t bytes);

// Columns of output that is no terminal.
constexpr std::size_t usualColumns = 80;

// Known word with the fewest edits (Levenshtein) to `word`, the first of equals; empty if more than
// a third of the letters would change.
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);

}  // namespace tessera::stage
