// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes of inputs in the background.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/input_hashes.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera;
using tessera::chain::WorkFolder;
using tessera::preprocess::InputHashes;

namespace {

// Bytes that all threads have read from files, by the kernel's account.
std::uintmax_t bytesRead() {
  std::ifstream account("/proc/self/io");
  std::string name;
  std::uintmax_t bytes = 0;
  account >> name >> bytes;
  REQUIRE(name == "rchar:");
  return bytes;
}

}  // namespace

TEST_CASE("Input hashes: those of the files, in the background or not", "[unit]") {
  const WorkFolder work;
  work.write("a", std::string(3'000'001, 'a'));
  work.write("b", "");
  for (const bool inBackground : {true, false}) {
    InputHashes hashes({work.path("a"), work.path("b")}, inBackground);
    CHECK(hashes.get() == std::vector<std::string>{stage::hashFile(work.path("a")),
                                                   stage::hashFile(work.path("b"))});
  }
  InputHashes missing({work.path("none")}, true);
  CHECK_THROWS(missing.get());
}

TEST_CASE("Input hashes: given up, they do not wait for the rest of a large file", "[unit]") {
  const WorkFolder work;
  work.write("large", "");
  constexpr std::uintmax_t size = std::uintmax_t{1} << 38U;
  std::filesystem::resize_file(work.path("large"), size);  // sparse
  const std::uintmax_t before = bytesRead();
  { const InputHashes hashes({work.path("large")}, true); }
  CHECK(bytesRead() - before < size / 2);
}
