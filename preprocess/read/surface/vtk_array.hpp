// SPDX-License-Identifier: GPL-3.0-or-later
// Data arrays of VTK's XML files: text, base64 or raw bytes, inline or appended, zlib or
// uncompressed (VTK's "File Formats" and its wiki page on the XML formats).
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

// Properties of the root element that apply to all arrays.
struct VtkEncoding {
  bool isSwapped = false;       // the file's byte order is not this machine's
  std::size_t headerBytes = 4;  // of each number in an array's header: 4 or 8
  bool isCompressed = false;    // by zlib, in blocks
  std::string_view appended;    // after the underscore of AppendedData
  bool isAppendedBase64 = false;
  std::string name;  // of the file, for messages
};

enum class VtkFormat { Ascii, Binary, Appended };

// Position and type of an array in the file.
struct VtkSource {
  std::string name;
  VtkType type = VtkType::F32;
  VtkFormat format = VtkFormat::Ascii;
  std::string_view text;     // inline
  std::uint64_t offset = 0;  // appended
};

// Values of one type in native byte order.
struct VtkArray {
  VtkType type = VtkType::F32;
  std::string bytes;
  [[nodiscard]] std::size_t size() const { return bytes.size() / bytesOf(type); }
  [[nodiscard]] double real(std::size_t i) const;
  [[nodiscard]] std::int64_t integer(std::size_t i) const;  // -1 for other values
};

// Decodes that many values and ignores further ones. Allocates no more than the file can hold
// (deflate's ratio is at most 1032). Throws StageError(BadInput) naming file and array.
VtkArray decodeArray(const VtkSource& source, const VtkEncoding& encoding, std::size_t values);

}  // namespace tessera::preprocess::read
