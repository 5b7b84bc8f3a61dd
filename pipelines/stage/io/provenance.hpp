// SPDX-License-Identifier: GPL-3.0-or-later
// How a file was made: program, version, the options that change its content, its inputs by base
// name and hash. Never the output's name, threads, host or time: the same input and options give
// the same bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::stage {

struct ProvenanceInput {
  std::string name;  // base name
  std::string
      hash;  // XXH3-128, 32 hexadecimal digits: of the content for our files, else of the file
};

struct Provenance {
  std::string program;
  std::string version;
  std::string gitHash;
  std::string build;  // instruction set and compiler
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<ProvenanceInput> inputs;
  std::string history;  // provenance JSON of the input it came from, or empty

  [[nodiscard]] std::string toJson() const;
  static Provenance fromJson(const std::string& json);
};

// Filled with the program's name, version, git hash and build.
Provenance newProvenance(std::string program);

// XXH3-128 of a whole file, streamed. Throws StageError(BadInput).
std::string hashFile(const std::filesystem::path& path);
// XXH3-128 of bytes in memory.
std::string hashBytes(const void* data, std::size_t size);

}  // namespace tessera::stage
