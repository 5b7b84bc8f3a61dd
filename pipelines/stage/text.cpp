// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::stage {

std::string number(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

std::string percent(double part, int digits) {
  const double value = 100.0 * part;
  const double place = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1.0 - digits);
  const bool plain = std::isfinite(value) && place >= 1.0 && place < 1e9;  // %g has an exponent
  return (plain ? fmt::format("{:.0f}", std::round(value / place) * place)
                : number(value, digits)) +
         " %";
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string enumeration(std::span<const std::string> words, std::string_view last) {
  if (words.empty()) return "none";
  if (words.size() == 1) return words.front();
  return fmt::format("{}{}{}", joined(words.first(words.size() - 1)), last, words.back());
}

std::string firstOf(std::span<const std::string> words, std::size_t most) {
  if (words.size() <= most) return joined(words);
  return fmt::format("{} and {} more", joined(words.first(most)), words.size() - most);
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string bytesText(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes >= 1'000'000'000) return fmt::format("{:.2f} GB", value / 1e9);
  if (bytes >= 100'000) return fmt::format("{:.2f} MB", value / 1e6);
  return plural(bytes, "byte");
}

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

bool beginsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t widthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), beginsCharacter));
}

std::string_view beginningOf(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (beginsCharacter(text[end]) && characters-- == 0) break;
  return text.substr(0, end);
}

std::string_view beginningInBytes(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && !beginsCharacter(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tessera::stage
