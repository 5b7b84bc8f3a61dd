// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/markup.hpp"

#include <cstdint>

namespace tessera {

std::string escapeMarkup(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default: {
        const auto code = static_cast<unsigned char>(c);
        const bool allowed = code >= 0x20 || c == '\n' || c == '\t' || c == '\r';
        if (allowed) {
          safe += c;
        } else {
          safe += "\ufffd";
        }
      }
    }
  }
  return safe;
}

std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

}  // namespace tessera
