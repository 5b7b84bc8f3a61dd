// SPDX-License-Identifier: GPL-3.0-or-later
// What the header of a PLY says about the bytes after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::preprocess::read {

enum class PlyType { I8, U8, I16, U16, I32, U32, F32, F64 };
constexpr std::size_t bytesOf(PlyType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::F32;
  bool isList = false;
  PlyType countType = PlyType::U8;  // of a list
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> property;
};

enum class PlyFormat { Ascii, LittleEndian, BigEndian };

struct PlyHeader {
  PlyFormat format = PlyFormat::Ascii;
  std::vector<PlyElement> element;  // in the file's order
  std::size_t bytes = 0;            // of the header itself
};

// Throws StageError(BadInput); the count of every element fits into what is left of the file.
PlyHeader parsePlyHeader(std::string_view file, const std::string& name);

}  // namespace tessera::preprocess::read
