// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of VTK's XML files: text, base64 or raw bytes, in place or appended, zlib or not
// (VTK's "File Formats" and its wiki page on the XML formats).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::preprocess::read {

enum class VtkType { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
constexpr std::size_t bytesOf(VtkType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

// What the root element says of all arrays.
struct VtkEncoding {
  bool isSwapped = false;       // the file's byte order is not this machine's
  std::size_t headerBytes = 4;  // of each number in an array's header: 4 or 8
  bool isCompressed = false;    // by zlib, in blocks
  std::string_view appended;    // after the underscore of AppendedData
  bool isAppendedBase64 = false;
  std::string name;  // of the file, for sentences
};

enum class VtkFormat { Ascii, Binary, Appended };

// Where an array is.
struct VtkSource {
  std::string name;
  VtkType type = VtkType::F32;
  VtkFormat format = VtkFormat::Ascii;
  std::string_view text;     // in place
  std::uint64_t offset = 0;  // appended
};

// Bytes of one type in this machine's order. Empty arrays hold nothing.
struct VtkArray {
  VtkType type = VtkType::F32;
  std::string bytes;
  [[nodiscard]] std::size_t size() const { return bytes.size() / bytesOf(type); }
  [[nodiscard]] double real(std::size_t i) const;
  [[nodiscard]] std::int64_t integer(std::size_t i) const;  // -1 for what is none
};

// So many values; more in the file are ignored. Nothing is allocated beyond what the file can hold
// (deflate shrinks to 1/1032 at best). Throws StageError(BadInput) naming file and array.
VtkArray decodeArray(const VtkSource& source, const VtkEncoding& encoding, std::size_t values);

}  // namespace tessera::preprocess::read
