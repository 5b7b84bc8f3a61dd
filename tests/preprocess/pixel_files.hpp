// SPDX-License-Identifier: GPL-3.0-or-later
// TIFF and PNG, written byte by byte.
#pragma once

#include <string>
#include <vector>

#include "tests/preprocess/image_files.hpp"

namespace tessera::test {

struct TiffPage {
  std::string voxels;  // as they are stored
  int width = 2, height = 2;
  int bits = 8, format = 1, compression = 1, samples = 1;
  int rows = 0;  // a strip; 0: a tile of 16 x 16 holds all
  int palette = 0;
  std::string description;
  int perUnit = 0;  // voxels
};

// Little- or big-endian ("II", "MM"), version 42; each page: voxels, texts, directory.
inline std::string tiff(const std::vector<TiffPage>& pages, bool big = false) {
  std::string bytes = std::string(big ? "MM\0*" : "II*\0", 4) + std::string(4, '\0');
  std::size_t link = 4;  // where the next directory's place goes
  const auto number = [&](auto value) {
    bytes.append(sizeof value, '\0');
    put(bytes, bytes.size() - sizeof value, value, big);
  };
  for (const TiffPage& page : pages) {
    const auto voxels = static_cast<std::uint32_t>(bytes.size());
    bytes += page.voxels;
    const auto text = static_cast<std::uint32_t>(bytes.size());
    bytes += page.description + '\0';
    if (bytes.size() % 2 == 1) bytes += '\0';
    const auto ratio = static_cast<std::uint32_t>(bytes.size());
    number(static_cast<std::uint32_t>(page.perUnit));
    number(std::uint32_t{1});
    const auto map = static_cast<std::uint32_t>(bytes.size());
    if (page.palette == 1) bytes.append(3 * 2 * 256, '\0');
    put(bytes, link, static_cast<std::uint32_t>(bytes.size()), big);
    struct Entry {
      int tag, type;
      std::uint32_t count, value;
    };
    const auto asInt = [](int value) { return static_cast<std::uint32_t>(value); };
    const bool tiled = page.rows == 0;
    std::vector<Entry> entries{{256, 4, 1, asInt(page.width)},
                               {257, 4, 1, asInt(page.height)},
                               {258, 3, 1, asInt(page.bits)},
                               {259, 3, 1, asInt(page.compression)},
                               {262, 3, 1, page.palette == 1 ? 3U : 1U}};
    const auto size = static_cast<std::uint32_t>(page.voxels.size());
    if (!page.description.empty())
      entries.push_back({270, 2, asInt(static_cast<int>(page.description.size()) + 1), text});
    if (!tiled) entries.push_back({273, 4, 1, voxels});
    entries.push_back({277, 3, 1, asInt(page.samples)});
    if (!tiled) entries.push_back({278, 4, 1, asInt(page.rows)});
    if (!tiled) entries.push_back({279, 4, 1, size});
    if (page.perUnit > 0) {
      entries.push_back({282, 5, 1, ratio});
      entries.push_back({283, 5, 1, ratio});
    }
    if (page.palette == 1) entries.push_back({320, 3, 768, map});
    if (tiled)
      for (const Entry& e :
           {Entry{322, 4, 1, 16}, {323, 4, 1, 16}, {324, 4, 1, voxels}, {325, 4, 1, size}})
        entries.push_back(e);
    entries.push_back({339, 3, 1, asInt(page.format)});
    number(static_cast<std::uint16_t>(entries.size()));
    for (const Entry& e : entries) {
      number(static_cast<std::uint16_t>(e.tag));
      number(static_cast<std::uint16_t>(e.type));
      number(e.count);
      if (e.type == 3 && e.count == 1) {
        number(static_cast<std::uint16_t>(e.value));
        number(std::uint16_t{0});
      } else {
        number(e.value);
      }
    }
    link = bytes.size();
    number(std::uint32_t{0});
  }
  return bytes;
}

inline TiffPage strip(const std::string& voxels, int bits = 8, int format = 1) {
  TiffPage page;
  page.voxels = voxels;
  page.bits = bits;
  page.format = format;
  page.rows = 2;
  return page;
}

inline std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  std::string head(4, '\0');
  put(head, 0, static_cast<std::uint32_t>(content.size()), true);
  const std::string zipped = gzipOf(body);
  std::uint32_t sum = 0;  // gzip's sum is PNG's
  std::memcpy(&sum, zipped.data() + zipped.size() - 8, 4);
  std::string tail(4, '\0');
  put(tail, 0, sum, true);
  return head + body + tail;
}

// rows: each with its filter byte.
inline std::string png(int width, int height, int depth, int colour, const std::string& rows) {
  std::string header(13, '\0');
  put(header, 0, width, true);
  put(header, 4, height, true);
  header[8] = static_cast<char>(depth);
  header[9] = static_cast<char>(colour);
  const std::string palette = colour == 3 ? chunk("PLTE", std::string(12, '\7')) : "";
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + palette + chunk("IDAT", zlibOf(rows)) +
         chunk("IEND", "");
}

}  // namespace tessera::test
