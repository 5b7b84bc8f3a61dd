// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "pipelines/stage/error.hpp"

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

  // How many bytes were there, at most so many.
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
    if (code == Z_STREAM_END) {  // of one member; the next one begins with gzip's mark
      supply();
      ended_ = stream_.avail_in == 0 || *stream_.next_in != 0x1f;
      if (!ended_) ::inflateReset(&stream_);
      return;
    }
    if (code != Z_BUF_ERROR)
      stage::fail(stage::ExitCode::BadInput,
                  name_ + " is damaged where it is compressed (" +
                      (stream_.msg != nullptr ? stream_.msg : "no zlib or gzip stream") +
                      "); copy or export it again.");
    ended_ = stream_.avail_in == 0 && input_.empty();
  }

  std::string_view input_;
  const std::string& name_;
  z_stream stream_{};
  bool ended_ = false;
};

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
  constexpr std::size_t mostShrunk = 1032;
  if (bytes / mostShrunk > compressed.size())
    stage::fail(stage::ExitCode::BadInput,
                name + " says it holds " + std::to_string(bytes) + " bytes, more than its " +
                    std::to_string(compressed.size()) +
                    " compressed ones can; it is truncated or damaged: export it "
                    "again.");
  WholeFile file;
  file.size = bytes;
  file.bytes = std::make_unique_for_overwrite<char[]>(bytes + 1);
  Inflater inflater(compressed, name);
  const std::size_t taken = inflater.take(file.bytes.get(), bytes);
  if (taken < bytes)
    stage::fail(stage::ExitCode::BadInput,
                name + " holds " + std::to_string(taken) + " bytes when uncompressed, expected " +
                    std::to_string(bytes) + "; it is truncated: copy or export it again.");
  inflater.take(file.bytes.get() + bytes, 1);  // so that the checksum is looked at
  file.bytes[bytes] = '\0';
  return file;
}

}  // namespace tessera::preprocess::read
