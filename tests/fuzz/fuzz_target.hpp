// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations that every fuzz_READER.cpp defines, for the driver of this folder and for libFuzzer.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "tests/fuzz/mutate.hpp"

// libFuzzer's entry point; aborts where the reader breaks its promise. Always 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tessera::fuzz {

using namespace tessera::preprocess::read;
using namespace tessera::stage;

// Whether the seeds of our own files are of 64 KiB and more.
inline bool seedsAreLarge = false;
// Whether every bit is changed, not one of each byte.
inline bool everyBit = false;
// Valid files of the format, in all of its variants, of at most some KiB each. All are read.
std::vector<std::string> seeds();
// Parts of seeds that are damaged alone; empty where damage anywhere passes the header.
std::vector<Inside> insides();

// How the inputs so far ended.
struct Outcomes {
  std::uint64_t read = 0;
  std::uint64_t refused = 0;
  std::string sentence;  // of the last that was refused
};
inline Outcomes outcomes;

[[noreturn]] inline void promiseBroken(const std::string& how) {
  std::fprintf(stderr, "the reader's promise is broken: %s\n", how.c_str());
  std::abort();
}

// Invariants of every soup that a reader returns.
inline void requireWhole(const TriangleSoup& soup) {
  if (soup.corner.empty() || soup.corner.size() % 3 != 0)
    promiseBroken("a soup of " + std::to_string(soup.corner.size()) + " corners");
  for (const Float3& corner : soup.corner)
    for (const float x : corner)
      if (!std::isfinite(x)) promiseBroken("a coordinate that is not finite");
  for (const double x : soup.origin)
    if (!std::isfinite(x)) promiseBroken("an origin that is not finite");
  if (!soup.face.empty() && soup.face.size() != soup.triangles())
    promiseBroken(std::to_string(soup.face.size()) + " faces of " +
                  std::to_string(soup.triangles()) + " triangles");
  for (const std::uint16_t face : soup.face)
    if (face >= soup.faceName.size()) promiseBroken("a face without a name");
}

// Invariants of every image that a reader returns. All voxels are read.
inline void requireWhole(const Image& image) {
  for (const int n : image.size)
    if (n < 1) promiseBroken("an image of size " + std::to_string(n));
  if (image.start > image.file.size ||
      (image.file.size - image.start) / bytesOf(image.type) < image.voxels())
    promiseBroken("fewer bytes than voxels");
  double sum = 0.0;
  for (std::size_t i = 0; i < image.voxels(); ++i) sum += image.value(i);
  if (!std::isfinite(sum)) std::fputs("", stderr);  // the sum is not optimised away
  for (std::size_t a = 0; a < 3; ++a) {
    bool finite = std::isfinite(image.voxel[a]) && std::isfinite(image.origin[a]);
    for (const double x : image.axis[a]) finite = finite && std::isfinite(x);
    if (!finite || image.voxel[a] < 0.0) promiseBroken("a frame that is not finite");
  }
}

// Calls read(), which must return or throw a StageError of that code, and counts how it ended. 0.
template <class Read>
int countOutcome(const Read& read, ExitCode promised = ExitCode::BadInput) {
  try {
    read();
    ++outcomes.read;
  } catch (const StageError& error) {
    if (error.code() != promised)
      promiseBroken("another exit code than " + std::to_string(static_cast<int>(promised)) + ": " +
                    error.what());
    ++outcomes.refused;
    outcomes.sentence = error.what();
  } catch (const std::exception& error) {
    promiseBroken(std::string("another error than StageError: ") + error.what());
  }
  return 0;
}

// Calls read(bytes), which must give something whole or throw StageError(BadInput).
template <class Read>
int readOrRefuse(const std::uint8_t* data, std::size_t size, const Read& read) {
  return countOutcome(
      [&] { requireWhole(read(std::string_view(reinterpret_cast<const char*>(data), size))); });
}

}  // namespace tessera::fuzz
