// SPDX-License-Identifier: GPL-3.0-or-later
// Standard output and error without control characters: names in files, of files and in cases are
// foreign text, and a terminal would obey its escape sequences.
#pragma once

#include <ios>
#include <streambuf>
#include <string>
#include <string_view>

namespace tessera::stage {

// Foreign text for a terminal: control characters, but for line breaks and tabs, and marks that
// reverse the direction of writing become "?". UTF-8 and all other bytes stay.
std::string printable(std::string_view text);

// While it lives, what is written to std::cout and std::cerr passes through printable().
class PrintableOutput {
 public:
  PrintableOutput();
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;
  ~PrintableOutput();

 private:
  // Hands what is printable to another buffer, without one of its own.
  class Filter : public std::streambuf {
   public:
    explicit Filter(std::streambuf* target) : target_(target) {}
    [[nodiscard]] std::streambuf* target() const { return target_; }

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize count) override;
    int sync() override { return target_->pubsync(); }

   private:
    std::streambuf* target_;
  };
  Filter out_, error_;
};

}  // namespace tessera::stage
