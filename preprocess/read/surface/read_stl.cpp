// SPDX-License-Identifier: GPL-3.0-or-later
// STL, binary and ASCII. Binary is recognised by its size (84 + 50 n bytes), not by the word
// "solid", which many binary files begin with. Normals and attribute bytes are ignored. Solids of
// an ASCII file with several names become faces.
#include "preprocess/read/surface/surface_readers.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/read/text.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::size_t headerBytes = 84;  // 80 of comment, the number of triangles
constexpr std::size_t recordBytes = 50;  // normal, three corners, two attribute bytes

std::uint64_t binaryTriangles(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

bool isBinary(std::string_view bytes) {
  return bytes.size() >= headerBytes &&
         bytes.size() == headerBytes + recordBytes * binaryTriangles(bytes);
}

// Corners of consecutive records.
void takeCorners(const char* records, std::size_t count, Float3* corner) {
  for (std::size_t t = 0; t < count; ++t)
    std::memcpy(corner + 3 * t, records + recordBytes * t + 12, 36);
}

TriangleSoup parseBinary(std::string_view bytes) {
  TriangleSoup soup;
  const std::size_t triangles = binaryTriangles(bytes);
  soup.corner.resize(3 * triangles);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, triangles, 1 << 14),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      takeCorners(bytes.data() + headerBytes + recordBytes * range.begin(),
                                  range.size(), &soup.corner[3 * range.begin()]);
                    });
  return soup;
}

// One facet after the word "facet".
void parseFacet(TextWords& words, std::vector<Double3>& corner) {
  std::string_view word = words.take();  // "normal" and three numbers are ignored
  for (int skipped = 0; skipped < 4 && !sameWord(word, "outer"); ++skipped) word = words.take();
  if (!sameWord(word, "outer") || !sameWord(words.take(), "loop")) words.refuse("outer loop");
  for (int k = 0; k < 3; ++k) {
    Double3 point{};
    if (!sameWord(words.take(), "vertex")) words.refuse("vertex of a facet");
    for (double& coordinate : point) coordinate = words.number("coordinate of a vertex");
    corner.push_back(point);
  }
  if (!sameWord(words.take(), "endloop") || !sameWord(words.take(), "endfacet"))
    words.refuse("endloop and endfacet");
}

void setCorners(const std::vector<Double3>& corner, TriangleSoup& soup) {
  const bool isFinite = std::all_of(corner.begin(), corner.end(), [](const Double3& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
  });
  if (isFinite) soup.origin = originFor(corner);  // else requireFinite() refuses it
  soup.corner.reserve(corner.size());
  for (const Double3& point : corner) soup.corner.push_back(relativeTo(soup.origin, point));
}

TriangleSoup parseAscii(std::string_view text, const std::string& name) {
  TriangleSoup soup;
  std::vector<Double3> corner;
  corner.reserve(text.size() / 80);
  FaceNames solids;
  TextWords words(text, name);
  bool inSolid = false;
  std::uint16_t solid = 0;
  for (std::string_view word = words.take(); !word.empty(); word = words.take()) {
    if (sameWord(word, "facet") && inSolid) {
      parseFacet(words, corner);
      soup.face.push_back(solid);
    } else if (sameWord(word, "solid") || sameWord(word, "endsolid")) {
      inSolid = sameWord(word, "solid");
      const std::string_view line = words.takeLine();
      if (inSolid && soup.space.empty()) soup.space = spaceIn(line);
      if (inSolid) solid = solids.numberOf(line.empty() ? "solid" : line);
    } else {
      words.refuse("facet or endsolid");
    }
  }
  if (inSolid)
    fail(ExitCode::BadInput,
         name + " ends without \"endsolid\"; it is truncated: export it again.");
  setCorners(corner, soup);
  soup.faceName = solids.names();
  if (!solids.areUseful()) {
    soup.face.clear();
    soup.faceName.clear();
  }
  return soup;
}

[[noreturn]] void refuseUnknown(std::string_view bytes, const std::string& name) {
  const std::string start = butWithStart(bytes);
  const bool isText = bytes.substr(0, 300).find('\0') == bytes.npos;
  if (isText && !start.empty())
    fail(ExitCode::BadInput,
         name + " does not start with \"solid\" as text" + start +
             " and its size is not that of a binary STL; export the surface as STL "
             "again.");
  if (bytes.size() < headerBytes)
    fail(ExitCode::BadInput,
         fmt::format("{} has only {} bytes and is not an STL; export the surface as STL again.",
                     name, bytes.size()));
  const std::uint64_t triangles = binaryTriangles(bytes);
  fail(ExitCode::BadInput,
       fmt::format("{} is not a complete STL: a binary one of {} triangles has {} bytes; found {}, "
                   "and it is not ASCII; it is truncated or of another format: export it again.",
                   name, triangles, headerBytes + recordBytes * triangles, bytes.size()));
}

bool looksAscii(std::string_view text) {
  const std::string_view start = text.substr(0, std::min<std::size_t>(text.size(), 1024));
  return sameWord(TextWords(start, "").take(), "solid") &&
         start.find('\0') == std::string_view::npos;
}

void requireFinite(const TriangleSoup& soup, const std::string& name) {
  constexpr std::size_t none = ~std::size_t{0};
  std::atomic<std::size_t> firstBad{none};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, soup.corner.size(), 1 << 15),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i) {
                        const Float3& p = soup.corner[i];
                        if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))
                          continue;
                        std::size_t known = firstBad.load();
                        while (i < known && !firstBad.compare_exchange_weak(known, i)) {
                        }
                        return;
                      }
                    });
  if (firstBad != none)
    fail(ExitCode::BadInput, fmt::format("{} has a coordinate that is not a finite number in "
                                         "triangle {} of {}; export it again.",
                                         name, firstBad / 3 + 1, soup.triangles()));
}

// A binary file, read in pieces so that its bytes are never all in memory; absent for other files.
std::optional<TriangleSoup> readBinary(const std::filesystem::path& path) {
  requireFile(path);
  if (isCompressed(path)) return std::nullopt;
  std::string header(headerBytes, '\0');
  std::ifstream start(path, std::ios::binary);
  if (!start.read(header.data(), headerBytes)) return std::nullopt;
  const std::size_t triangles = binaryTriangles(header);
  std::error_code error;
  if (triangles == 0 ||
      std::filesystem::file_size(path, error) != headerBytes + recordBytes * triangles)
    return std::nullopt;
  TriangleSoup soup;
  soup.space = spaceIn(std::string_view(header).substr(0, 80));
  soup.corner.resize(3 * triangles);
  constexpr std::size_t piece = 1 << 16;  // triangles
  stage::parallelBlocks(triangles, piece, [&](std::size_t, std::size_t first, std::size_t end) {
    const std::size_t count = end - first;
    const auto records = std::make_unique_for_overwrite<char[]>(recordBytes * count);
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(headerBytes + recordBytes * first));
    file.read(records.get(), static_cast<std::streamsize>(recordBytes * count));
    if (!file) fail(ExitCode::BadInput, path.string() + " cannot be read; check its permissions.");
    takeCorners(records.get(), count, &soup.corner[3 * first]);
  });
  return soup;
}

}  // namespace

TriangleSoup parseStl(std::string_view bytes, const std::string& name) {
  TriangleSoup soup;
  if (isBinary(bytes)) {
    soup = parseBinary(bytes);
    soup.space = spaceIn(bytes.substr(0, 80));
  } else if (looksAscii(bytes)) {
    soup = parseAscii(bytes, name);
  } else {
    refuseUnknown(bytes, name);
  }
  if (soup.corner.empty())
    fail(ExitCode::BadInput, name + " holds no triangles; export the surface with its facets.");
  requireFinite(soup, name);
  return soup;
}

TriangleSoup readStl(const std::filesystem::path& path) {
  if (std::optional<TriangleSoup> soup = readBinary(path)) {
    requireFinite(*soup, path.string());
    return std::move(*soup);
  }
  const WholeFile file = readUncompressed(path);
  return parseStl(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
