// SPDX-License-Identifier: GPL-3.0-or-later
// Provenance of a file: program, version, options that change its content, inputs by base name and
// hash. Never the output's name, threads, host or time: equal inputs and options give equal bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::stage {

struct ProvenanceInput {
  std::string name;  // base name
  // XXH3-128, 32 hexadecimal digits: content hash of a Tessera file, else hash of the whole file.
  std::string hash;
};

struct Provenance {
  std::string program;
  std::string version;
  std::string gitHash;
  std::string build;  // instruction set and compiler
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<ProvenanceInput> inputs;
  std::string history;  // provenance JSON of its input, or empty

  [[nodiscard]] std::string toJson() const;
  static Provenance fromJson(const std::string& json);
};

// Provenance with the program's name, version, git hash and build.
Provenance newProvenance(std::string program);

// "0.1.0", the commit at build time, and "x86-64-v3 g++ 12.2.0 CUDA 13.0" or "... no CUDA".
std::string versionNumber();
std::string gitHash();
std::string buildDescription();

// XXH3-128 of a whole file, streamed. Throws StageError(BadInput).
std::string hashFile(const std::filesystem::path& path);
// XXH3-128 of bytes in memory.
std::string hashBytes(const void* data, std::size_t size);

}  // namespace tessera::stage
