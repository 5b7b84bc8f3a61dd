// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_stl.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera {
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

TriangleSoup parseBinary(std::string_view bytes) {
  TriangleSoup soup;
  const std::size_t triangles = binaryTriangles(bytes);
  soup.corner.resize(3 * triangles);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, triangles, 1 << 14),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t t = range.begin(); t < range.end(); ++t)
                        std::memcpy(&soup.corner[3 * t],
                                    bytes.data() + headerBytes + recordBytes * t + 12, 36);
                    });
  return soup;
}

// Words of an ASCII STL, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}

  // Empty at the end of the text.
  std::string_view take() {
    skipBlanks();
    const char* begin = next_;
    while (next_ != end_ && !isBlank(*next_)) ++next_;
    return {begin, static_cast<std::size_t>(next_ - begin)};
  }
  bool takeNumber(float& value) {
    skipBlanks();
    if (next_ != end_ && *next_ == '+') ++next_;
    const auto result = std::from_chars(next_, end_, value);
    if (result.ec == std::errc::invalid_argument) return false;
    if (result.ec == std::errc::result_out_of_range) value = 0.0F;  // below the smallest float
    next_ = result.ptr;
    return next_ == end_ || isBlank(*next_);
  }
  void skipLine() {
    while (next_ != end_ && *next_ != '\n') ++next_;
  }
  [[nodiscard]] std::size_t lineOf(const char* begin) const {
    return 1 + static_cast<std::size_t>(std::count(begin, next_, '\n'));
  }

 private:
  static bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void skipBlanks() {
    while (next_ != end_ && isBlank(*next_)) ++next_;
  }
  const char* next_;
  const char* end_;
};

bool sameWord(std::string_view word, std::string_view lowerCase) {
  return std::equal(word.begin(), word.end(), lowerCase.begin(), lowerCase.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// One facet after its first word; false where the text is not as expected.
bool parseFacet(Words& words, std::vector<Float3>& corner) {
  std::string_view word = words.take();  // "normal" and three numbers are not needed
  for (int skipped = 0; skipped < 4 && !sameWord(word, "outer"); ++skipped) word = words.take();
  if (!sameWord(word, "outer") || !sameWord(words.take(), "loop")) return false;
  for (int k = 0; k < 3; ++k) {
    Float3 point{};
    if (!sameWord(words.take(), "vertex")) return false;
    for (float& coordinate : point)
      if (!words.takeNumber(coordinate)) return false;
    corner.push_back(point);
  }
  return sameWord(words.take(), "endloop") && sameWord(words.take(), "endfacet");
}

TriangleSoup parseAscii(std::string_view text, const std::string& name) {
  TriangleSoup soup;
  soup.corner.reserve(text.size() / 80);
  Words words(text);
  bool inSolid = false;
  for (std::string_view word = words.take(); !word.empty(); word = words.take()) {
    if (sameWord(word, "facet") && inSolid && parseFacet(words, soup.corner)) continue;
    if (sameWord(word, "solid") || sameWord(word, "endsolid")) {
      inSolid = sameWord(word, "solid");
      words.skipLine();  // the name
      continue;
    }
    fail(ExitCode::BadInput,
         name + ":" + std::to_string(words.lineOf(text.data())) +
             " is not what an ASCII STL has there (facet of three vertices, or endsolid); the "
             "file is damaged or truncated: export it again.");
  }
  if (inSolid)
    fail(ExitCode::BadInput,
         name + " ends without \"endsolid\"; it is truncated: export it again.");
  return soup;
}

[[noreturn]] void refuseUnknown(std::string_view bytes, const std::string& name) {
  if (bytes.size() < headerBytes)
    fail(ExitCode::BadInput, name + " has only " + std::to_string(bytes.size()) +
                                 " bytes and is no STL; export the surface as STL again.");
  const std::uint64_t triangles = binaryTriangles(bytes);
  fail(ExitCode::BadInput,
       name + " is no whole STL: as a binary one of " + std::to_string(triangles) +
           " triangles it would have " + std::to_string(headerBytes + recordBytes * triangles) +
           " bytes but has " + std::to_string(bytes.size()) +
           ", and it is no ASCII one; it is truncated or of another format: export it again.");
}

bool looksAscii(std::string_view text) {
  const std::string_view start = text.substr(0, std::min<std::size_t>(text.size(), 1024));
  return sameWord(Words(start).take(), "solid") && start.find('\0') == std::string_view::npos;
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
    fail(ExitCode::BadInput, name + " has a coordinate that is not a finite number in triangle " +
                                 std::to_string(firstBad / 3 + 1) + " of " +
                                 std::to_string(soup.triangles()) + "; export it again.");
}

}  // namespace

TriangleSoup parseStl(std::string_view bytes, const std::string& name) {
  TriangleSoup soup;
  if (isBinary(bytes))
    soup = parseBinary(bytes);
  else if (looksAscii(bytes))
    soup = parseAscii(bytes, name);
  else
    refuseUnknown(bytes, name);
  if (soup.corner.empty())
    fail(ExitCode::BadInput,
         name + " holds no triangles; export the surface again with its facets.");
  requireFinite(soup, name);
  return soup;
}

TriangleSoup readStl(const std::filesystem::path& path) {
  const WholeFile file = readWholeFile(path);
  return parseStl(file.text(), path.string());
}

}  // namespace tessera
