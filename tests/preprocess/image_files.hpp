// SPDX-License-Identifier: GPL-3.0-or-later
// Images of a file's bytes, written byte by byte: NIfTI headers, little- or big-endian numbers,
// zlib and gzip streams (of stored blocks, so that no library is needed).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "preprocess/geometry/frame.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::test {

using namespace tessera::preprocess::read;

template <class Stored>
void put(std::string& bytes, std::size_t at, Stored value, bool bigEndian = false) {
  std::array<char, sizeof(Stored)> stored = std::bit_cast<std::array<char, sizeof(Stored)>>(value);
  if (bigEndian) std::reverse(stored.begin(), stored.end());
  std::memcpy(&bytes.at(at + sizeof(Stored) - 1) - (sizeof(Stored) - 1), stored.data(),
              sizeof(Stored));
}

inline WholeFile wholeFileOf(const std::string& bytes) {
  WholeFile file;
  file.size = bytes.size();
  file.bytes = std::make_unique<char[]>(bytes.size() + 1);
  std::memcpy(file.bytes.get(), bytes.data(), bytes.size());
  return file;
}

// RFC 1951's stored blocks.
inline std::string deflated(const std::string& bytes) {
  std::string stream;
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += 65535) {
    const std::string part = bytes.substr(at, 65535);
    const auto count = static_cast<std::uint16_t>(part.size());
    std::string head(5, at + 65535 >= bytes.size() ? '\1' : '\0');
    put(head, 1, count);
    put(head, 3, static_cast<std::uint16_t>(~count));
    stream += head + part;
  }
  return stream;
}

inline std::string zlibOf(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;  // Adler-32, RFC 1950
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string sum(4, '\0');
  put(sum, 0, (b << 16) | a, true);
  return "\x78\x01" + deflated(bytes) + sum;
}

inline std::string gzipOf(const std::string& bytes) {
  std::uint32_t sum = ~0U;  // CRC-32, RFC 1952
  for (const char c : bytes) {
    sum ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xedb88320U & (0U - (sum & 1U)));
  }
  std::string tail(8, '\0');
  put(tail, 0, ~sum);
  put(tail, 4, static_cast<std::uint32_t>(bytes.size()));
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10) + deflated(bytes) + tail;
}

// Columns: steps of x, y, z, then the place of voxel (0, 0, 0); as sform has it, RAS in mm.
using Affine = std::array<std::array<double, 4>, 3>;

struct NiftiText {
  int version = 1;
  bool bigEndian = false;
  bool pair = false;
  std::array<int, 8> dim{3, 1, 1, 1, 1, 1, 1, 1};
  int datatype = 2, bits = 8;
  std::array<double, 8> pixdim{1, 1, 1, 1, 0, 0, 0, 0};
  double slope = 0.0, intercept = 0.0;
  int unit = 2;
  int qform = 0, sform = 0;
  Double3 quaternion{}, qoffset{};
  Affine srow{};
};

// The header with what comes before the voxels.
inline std::string niftiHeader(const NiftiText& t) {
  const bool first = t.version == 1, big = t.bigEndian;
  std::string h(first ? 352 : 544, '\0');
  put(h, 0, first ? 348 : 540, big);
  const auto real = [&](std::size_t at, double value) {
    first ? put(h, at, static_cast<float>(value), big) : put(h, at, value, big);
  };
  const std::size_t w = first ? 4 : 8;
  for (std::size_t i = 0; i < 8; ++i) {
    if (first)
      put(h, 40 + 2 * i, static_cast<std::int16_t>(t.dim[i]), big);
    else
      put(h, 16 + 8 * i, static_cast<std::int64_t>(t.dim[i]), big);
    real((first ? 76 : 104) + w * i, t.pixdim[i]);
  }
  put(h, first ? 70 : 12, static_cast<std::int16_t>(t.datatype), big);
  put(h, first ? 72 : 14, static_cast<std::int16_t>(t.bits), big);
  const int start = t.pair ? 0 : static_cast<int>(h.size());
  first ? put(h, 108, static_cast<float>(start), big)
        : put(h, 168, static_cast<std::int64_t>(start), big);
  real(first ? 112 : 176, t.slope);
  real(first ? 116 : 184, t.intercept);
  first ? put(h, 123, static_cast<std::uint8_t>(t.unit)) : put(h, 500, t.unit, big);
  if (first) {
    put(h, 252, static_cast<std::int16_t>(t.qform), big);
    put(h, 254, static_cast<std::int16_t>(t.sform), big);
  } else {
    put(h, 344, t.qform, big);
    put(h, 348, t.sform, big);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    real((first ? 256 : 352) + w * c, t.quaternion[c]);
    real((first ? 268 : 376) + w * c, t.qoffset[c]);
    for (std::size_t a = 0; a < 4; ++a) real((first ? 280 : 400) + w * (4 * c + a), t.srow[c][a]);
  }
  const std::string magic =
      first ? std::string(t.pair ? "ni1" : "n+1") + '\0'
            : std::string(t.pair ? "ni2" : "n+2") + std::string("\0\r\n\x1a\n", 5);
  h.replace(first ? 344 : 4, magic.size(), magic);
  if (t.pair) h.resize(first ? 348 : 540);
  return h;
}

}  // namespace tessera::test
