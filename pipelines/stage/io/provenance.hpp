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
  std::vector<std::string> warnings;  // about the content, for those who did not see the program
  std::vector<Provenance> history;    // of its first input, newest first, each without its own

  // This one without its history, and its history: the history of what is made from it.
  [[nodiscard]] std::vector<Provenance> steps() const;
  [[nodiscard]] std::string toJson() const;
  // Reads the list of version 0.2 and the nesting of 0.1. Throws StageError(BadInput) if the text
  // is damaged, has more than 1 MiB or more than 64 steps.
  static Provenance fromJson(const std::string& json);
};

// Warnings as a provenance keeps them: few and short enough for its size, and files by their base
// names, since the folder where they lay is no part of the content. files: inputs, or their
// folders.
std::vector<std::string> warningsToKeep(const std::vector<std::string>& warnings,
                                        const std::vector<std::filesystem::path>& files);

// Provenance with the program's name, version, git hash and build.
Provenance newProvenance(std::string program);

// "0.1.0", the commit at build time, and "x86-64-v3 g++ 12.2.0 CUDA 13.0" or "... no CUDA".
std::string versionNumber();
std::string gitHash();
std::string buildDescription();
// "PIE, full RELRO, stack protector, FORTIFY_SOURCE=2": hardening of this build.
std::string hardeningDescription();

// XXH3-128 of a whole file, streamed. Throws StageError(BadInput).
std::string hashFile(const std::filesystem::path& path);
// XXH3-128 of bytes in memory.
std::string hashBytes(const void* data, std::size_t size);

}  // namespace tessera::stage
