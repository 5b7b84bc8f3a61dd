// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/cli/printable_output.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

namespace tessera::stage {

namespace {

// Bytes of the character at the front of the text that a terminal would obey; 0: none.
std::size_t controlBytes(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(0);
  if (first == '\n' || first == '\t') return 0;
  if (first < 0x20 || first == 0x7f) return 1;
  if (first == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;  // U+0080 to U+009F
  if (first != 0xe2) return 0;
  // U+202A to U+202E and U+2066 to U+2069
  const bool reverses = (byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                        (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
  return reverses ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  // Bytes that continue a character of UTF-8; elsewhere 0x80 to 0x9f are controls of 8-bit codes.
  int continues = 0;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t bytes = controlBytes(text);
    const bool stray = byte >= 0x80 && byte < 0xa0 && continues == 0;
    clean += bytes > 0 || stray ? '?' : text.front();
    if (byte >= 0xc0)
      continues = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    else
      continues = byte >= 0x80 && continues > 0 ? continues - 1 : 0;
    if (bytes > 0) continues = 0;
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return clean;
}

PrintableOutput::PrintableOutput() : out_(std::cout.rdbuf()), error_(std::cerr.rdbuf()) {
  std::cout.rdbuf(&out_);
  std::cerr.rdbuf(&error_);
}

PrintableOutput::~PrintableOutput() {
  std::cout.rdbuf(out_.target());
  std::cerr.rdbuf(error_.target());
}

PrintableOutput::Filter::int_type PrintableOutput::Filter::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char text = traits_type::to_char_type(c);
  return xsputn(&text, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableOutput::Filter::xsputn(const char* text, std::streamsize count) {
  const std::string clean = printable({text, static_cast<std::size_t>(count)});
  const auto size = static_cast<std::streamsize>(clean.size());
  return target_->sputn(clean.data(), size) == size ? count : 0;
}

}  // namespace tessera::stage
