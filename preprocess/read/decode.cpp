// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/decode.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {

namespace {

constexpr std::size_t mostAtOnce = std::size_t{1} << 30U;  // zlib counts in 32 bits

class Inflater {
 public:
  Inflater(std::string_view compressed, const std::string& name) : input_(compressed), name_(name) {
    constexpr int zlibOrGzip = 32 + MAX_WBITS;
    if (::inflateInit2(&stream_, zlibOrGzip) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream_); }

  // Number of bytes decompressed, at most the given number.
  std::size_t take(char* target, std::size_t bytes) {
    std::size_t taken = 0;
    while (taken < bytes && !ended_) {
      supply();
      const auto room = static_cast<uInt>(std::min(bytes - taken, mostAtOnce));
      stream_.next_out = reinterpret_cast<Bytef*>(target + taken);
      stream_.avail_out = room;
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      taken += room - stream_.avail_out;
      react(code);
    }
    return taken;
  }
  // Whether the last member's end and checksum have been read.
  [[nodiscard]] bool isComplete() const { return complete_; }

 private:
  void supply() {
    if (stream_.avail_in > 0) return;
    const std::size_t part = std::min(input_.size(), mostAtOnce);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(part);
    input_.remove_prefix(part);
  }
  void react(int code) {
    if (code == Z_OK) return;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) {  // end of one member; another one begins with gzip's magic
      supply();
      ended_ = stream_.avail_in == 0 || *stream_.next_in != 0x1f;
      complete_ = ended_;
      if (!ended_) ::inflateReset(&stream_);
      return;
    }
    if (code != Z_BUF_ERROR)
      stage::fail(stage::ExitCode::BadInput,
                  name_ + " has damaged compressed data (" +
                      (stream_.msg != nullptr ? stream_.msg : "no zlib or gzip stream") +
                      "); copy or export it again.");
    ended_ = stream_.avail_in == 0 && input_.empty();
  }

  std::string_view input_;
  const std::string& name_;
  z_stream stream_{};
  bool ended_ = false;
  bool complete_ = false;
};

constexpr std::size_t maxDeflateRatio = 1032;

}  // namespace

bool looksGzipped(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string inflateStart(std::string_view compressed, std::size_t most, const std::string& name) {
  std::string start(most, '\0');
  start.resize(Inflater(compressed, name).take(start.data(), most));
  return start;
}

WholeFile inflateBytes(std::string_view compressed, std::size_t bytes, const std::string& name) {
  if (bytes / maxDeflateRatio > compressed.size())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} declares {} bytes, more than its {} compressed bytes can hold; it "
                            "is truncated or damaged: export it again.",
                            name, bytes, compressed.size()));
  WholeFile file = roomFor(bytes, name + ", decompressed,", "give a part of it");
  Inflater inflater(compressed, name);
  const std::size_t taken = inflater.take(file.bytes.get(), bytes);
  if (taken < bytes)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} holds {} bytes when uncompressed, expected {}; it is truncated: "
                            "copy or export it again.",
                            name, taken, bytes));
  inflater.take(file.bytes.get() + bytes, 1);  // makes zlib verify the checksum
  file.bytes[bytes] = '\0';
  return file;
}

namespace {

// Moves the bytes to a larger array, left uninitialised behind them.
void grow(WholeFile& file, std::size_t room, const std::string& name) {
  WholeFile larger = roomFor(room, name + ", decompressed,", "decompress it and give a part of it");
  if (file.size > 0) std::memcpy(larger.bytes.get(), file.bytes.get(), file.size);
  file.bytes = std::move(larger.bytes);
}

}  // namespace

WholeFile inflateWhole(std::string_view compressed, const std::string& name, std::size_t most) {
  most = std::min(most, maxDeflateRatio * compressed.size());
  constexpr std::size_t usualRatio = 4;
  Inflater inflater(compressed, name);
  WholeFile file;
  for (std::size_t room = 0; file.size == room && room < most;) {
    room = std::min(most, std::max(2 * room, usualRatio * compressed.size()));
    grow(file, room, name);
    file.size += inflater.take(file.bytes.get() + file.size, room - file.size);
  }
  char further = 0;
  if (inflater.take(&further, 1) > 0)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} holds more than {} bytes when decompressed, the most that is read; "
                            "decompress it and give a part of it.",
                            name, most));
  if (!inflater.isComplete())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} ends after {} decompressed bytes, before the end of its gzip data; "
                            "it is truncated: copy or export it again.",
                            name, file.size));
  file.bytes[file.size] = '\0';
  return file;
}

WholeFile readUncompressed(const std::filesystem::path& path) {
  WholeFile file = readWholeFile(path);
  if (!isCompressed(path)) return file;
  if (!looksGzipped(file.text()))
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} is named .gz but holds no gzip data{}; rename it to {} if it is "
                            "not compressed, or export it again.",
                            path.string(), butWithStart(file.text()), path.stem().string()));
  return inflateWhole(file.text(), path.string());
}

namespace {

constexpr std::uint8_t none = 255;
constexpr std::uint8_t padding = 254;

constexpr std::array<std::uint8_t, 256> makeTable() {
  std::array<std::uint8_t, 256> table{};
  table.fill(none);
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<std::uint8_t>(digits[i])] = static_cast<std::uint8_t>(i);
  table['='] = padding;
  return table;
}
constexpr std::array<std::uint8_t, 256> digitOf = makeTable();

}  // namespace

std::string decodeBase64(std::string_view text, std::size_t most) {
  std::string bytes;
  bytes.reserve(std::min(most, text.size() / 4 * 3 + 3));
  std::uint32_t bits = 0;
  int digits = 0;
  int pads = 0;
  for (const char c : text) {
    if (bytes.size() >= most) break;
    if (isBlank(c)) continue;
    const std::uint8_t digit = digitOf[static_cast<std::uint8_t>(c)];
    if (digit == none || (pads > 0 && digit != padding)) break;
    if (digit == padding) ++pads;
    bits = bits << 6U | (digit == padding ? 0U : digit);
    if (++digits < 4) continue;
    for (int k = 0; k < 3 - pads; ++k)
      bytes.push_back(static_cast<char>(bits >> (16 - 8 * k) & 255U));
    bits = 0;
    digits = 0;
    pads = 0;
  }
  if (bytes.size() > most) bytes.resize(most);
  return bytes;
}

}  // namespace tessera::preprocess::read
