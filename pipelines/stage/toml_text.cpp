// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/toml_text.hpp"

#include <algorithm>

namespace tessera {
namespace {

// Where the string that begins at `start` ends: behind its quotes, or at the end of its line or of
// the text where they are missing.
std::size_t endOfString(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const std::string_view three = text.substr(start, 3);
  const bool isLong = three.size() == 3 && three[1] == quote && three[2] == quote;
  const std::size_t quotes = isLong ? 3 : 1;
  for (std::size_t at = start + quotes; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (text[at] == '\n' && !isLong)
      return at;
    else if (text[at] == quote && (!isLong || text.substr(at, 3) == three))
      return at + quotes;
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> lineOfStrayCharacter(std::string_view text) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    const char here = text[at];
    if (here == '#')
      at = std::min(text.find('\n', at), text.size());
    else if (here == '"' || here == '\'')
      at = endOfString(text, at);
    else if (static_cast<unsigned char>(here) >= 0x80)
      return 1 + static_cast<std::size_t>(std::count(
                     text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    else
      ++at;
  }
  return std::nullopt;
}

}  // namespace tessera
