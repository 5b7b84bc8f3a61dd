// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/vtk_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

constexpr std::size_t maxDeflateRatio = 1032;  // of deflate

template <class Use>
auto visit(VtkType type, const char* at, Use use) {
  const auto stored = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return use(value);
  };
  switch (type) {
    case VtkType::I8:
      return stored(std::int8_t{});
    case VtkType::U8:
      return stored(std::uint8_t{});
    case VtkType::I16:
      return stored(std::int16_t{});
    case VtkType::U16:
      return stored(std::uint16_t{});
    case VtkType::I32:
      return stored(std::int32_t{});
    case VtkType::U32:
      return stored(std::uint32_t{});
    case VtkType::I64:
      return stored(std::int64_t{});
    case VtkType::U64:
      return stored(std::uint64_t{});
    case VtkType::F32:
      return stored(float{});
    case VtkType::F64:
      return stored(double{});
  }
  return use(0);
}

[[noreturn]] void refuse(const VtkSource& source, const VtkEncoding& encoding,
                         const std::string& found) {
  stage::fail(stage::ExitCode::BadInput, encoding.name + ": the array \"" +
                                             source.name.substr(0, 40) + "\" " + found +
                                             "; it is truncated or damaged: export it again.");
}

// Bytes of an array as stored, in base64 or raw.
class Stored {
 public:
  Stored(const VtkSource& source, const VtkEncoding& encoding) {
    isBase64_ = source.format == VtkFormat::Binary || encoding.isAppendedBase64;
    text_ = source.text;
    if (source.format == VtkFormat::Appended) {
      if (source.offset > encoding.appended.size())
        refuse(source, encoding,
               fmt::format("begins at byte {} of the appended data, which has {}", source.offset,
                           encoding.appended.size()));
      text_ = encoding.appended.substr(source.offset);
    }
  }
  [[nodiscard]] std::size_t available() const {
    return isBase64_ ? text_.size() / 4 * 3 : text_.size();
  }
  // From the beginning; fewer at the end of the file.
  [[nodiscard]] std::string take(std::size_t bytes) const {
    return isBase64_ ? decodeBase64(text_, bytes) : std::string(text_.substr(0, bytes));
  }

 private:
  std::string_view text_;
  bool isBase64_ = false;
};

class Header {
 public:
  Header(std::string bytes, const VtkEncoding& encoding)
      : bytes_(std::move(bytes)), width_(encoding.headerBytes), isSwapped_(encoding.isSwapped) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size() / width_; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    std::string word = bytes_.substr(i * width_, width_);
    if (isSwapped_) std::reverse(word.begin(), word.end());
    std::uint64_t value = 0;
    std::uint32_t narrow = 0;
    if (width_ == 8) std::memcpy(&value, word.data(), 8);
    if (width_ == 4) std::memcpy(&narrow, word.data(), 4);
    return width_ == 8 ? value : narrow;
  }

 private:
  std::string bytes_;
  std::size_t width_;
  bool isSwapped_;
};

// Blocks of a compressed array. Header: [number of blocks] [bytes of one] [bytes of the last, 0 if
// full] [compressed bytes of each].
struct Blocks {
  std::uint64_t whole = 0;
  std::uint64_t last = 0;
  std::vector<std::uint64_t> compressed;
  std::size_t headerBytes = 0;
  std::size_t allCompressed = 0;
};

Blocks readBlocks(const Stored& stored, const VtkSource& source, const VtkEncoding& encoding) {
  const std::size_t width = encoding.headerBytes;
  const Header start(stored.take(3 * width), encoding);
  Blocks blocks;
  if (start.size() == 0) refuse(source, encoding, "has no header");
  if (start[0] == 0) return blocks;
  if (start.size() < 3 || start[0] > stored.available() / width)
    refuse(source, encoding,
           fmt::format("declares {} compressed blocks, more than the file can hold", start[0]));
  blocks.whole = start[1];
  blocks.last = start[2] == 0 ? start[1] : start[2];
  blocks.headerBytes = (3 + start[0]) * width;
  const Header all(stored.take(blocks.headerBytes), encoding);
  if (all.size() < 3 + start[0]) refuse(source, encoding, "ends within its header");
  for (std::size_t b = 0; b < start[0]; ++b) {
    blocks.compressed.push_back(all[3 + b]);
    const std::size_t left =
        stored.available() - std::min(stored.available(), blocks.allCompressed);
    if (all[3 + b] > left) refuse(source, encoding, "ends within its blocks");
    blocks.allCompressed += all[3 + b];
  }
  return blocks;
}

std::string inflateBlocks(const VtkSource& source, const VtkEncoding& encoding, std::size_t bytes) {
  const Stored stored(source, encoding);
  const Blocks blocks = readBlocks(stored, source, encoding);
  if (bytes / maxDeflateRatio > blocks.allCompressed)
    refuse(source, encoding,
           fmt::format("has {} compressed bytes, too few for the {} bytes expected",
                       blocks.allCompressed, bytes));
  const std::string all = stored.take(blocks.headerBytes + blocks.allCompressed);
  std::string_view left = std::string_view(all).substr(std::min(blocks.headerBytes, all.size()));
  std::string result;
  result.reserve(bytes);
  for (std::size_t b = 0; b < blocks.compressed.size() && result.size() < bytes; ++b) {
    const std::uint64_t block = b + 1 < blocks.compressed.size() ? blocks.whole : blocks.last;
    if (left.size() < blocks.compressed[b]) refuse(source, encoding, "ends within its blocks");
    const WholeFile part = inflateBytes(left.substr(0, blocks.compressed[b]),
                                        std::min<std::uint64_t>(block, bytes - result.size()),
                                        encoding.name + ": the array \"" + source.name + "\"");
    result.append(part.text());
    left.remove_prefix(blocks.compressed[b]);
  }
  return result;
}

std::string takePlain(const VtkSource& source, const VtkEncoding& encoding, std::size_t bytes) {
  const Stored stored(source, encoding);
  const std::size_t width = encoding.headerBytes;
  const Header header(stored.take(width), encoding);
  if (header.size() == 0) refuse(source, encoding, "has no header");
  if (header[0] < bytes)
    refuse(source, encoding, fmt::format("has {} bytes, expected {}", header[0], bytes));
  if (stored.available() < bytes) return {};  // the caller reports it
  std::string all = stored.take(width + bytes);
  all.erase(0, width);
  return all;
}

template <class Value, class Read>
void store(std::string& bytes, std::size_t i, Read value) {
  const auto narrow = static_cast<Value>(value);
  std::memcpy(bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
}

// Text is stored as 64-bit integers or doubles, independent of the declared type.
VtkArray parseText(const VtkSource& source, const VtkEncoding& encoding, std::size_t values) {
  VtkArray array;
  const bool isReal = source.type == VtkType::F32 || source.type == VtkType::F64;
  array.type = isReal ? VtkType::F64 : VtkType::I64;
  if (values > (source.text.size() + 1) / 2)
    refuse(source, encoding, fmt::format("is too short for {} values", values));
  array.bytes.resize(values * 8);
  TextWords words(source.text, encoding.name);
  for (std::size_t i = 0; i < values; ++i) {
    const std::string_view word = words.take();
    double real = 0.0;
    std::int64_t integer = 0;
    if (isReal ? !parseNumber(word, real) : !parseInteger(word, integer))
      refuse(source, encoding, fmt::format("has an invalid value {} of {}", i + 1, values));
    if (isReal)
      store<double>(array.bytes, i, real);
    else
      store<std::int64_t>(array.bytes, i, integer);
  }
  return array;
}

void swapBytes(VtkArray& array) {
  const auto width = static_cast<std::ptrdiff_t>(bytesOf(array.type));
  for (auto at = array.bytes.begin(); at != array.bytes.end(); at += width)
    std::reverse(at, at + width);
}

}  // namespace

double VtkArray::real(std::size_t i) const {
  return visit(type, bytes.data() + i * bytesOf(type),
               [](auto value) { return static_cast<double>(value); });
}

std::int64_t VtkArray::integer(std::size_t i) const {
  if (type == VtkType::F32 || type == VtkType::F64) {
    const double value = real(i);
    return std::abs(value) < 9e15 ? std::llround(value) : -1;
  }
  return visit(type, bytes.data() + i * bytesOf(type),
               [](auto value) { return static_cast<std::int64_t>(value); });
}

VtkArray decodeArray(const VtkSource& source, const VtkEncoding& encoding, std::size_t values) {
  VtkArray array;
  array.type = source.type;
  if (values == 0) return array;
  if (source.format == VtkFormat::Ascii) return parseText(source, encoding, values);
  const std::size_t width = bytesOf(source.type);
  if (values > ~std::size_t{0} / (2 * width))
    refuse(source, encoding, fmt::format("is too short for {} values", values));
  const std::size_t bytes = values * width;
  array.bytes = encoding.isCompressed ? inflateBlocks(source, encoding, bytes)
                                      : takePlain(source, encoding, bytes);
  if (array.bytes.size() < bytes)
    refuse(source, encoding, fmt::format("has {} bytes, expected {}", array.bytes.size(), bytes));
  if (encoding.isSwapped) swapBytes(array);
  return array;
}

}  // namespace tessera::preprocess::read
