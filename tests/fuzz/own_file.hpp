// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzing the readers of our own files: a file in memory to read from, and damage to a section
// behind checksums that are true again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

namespace tessera::fuzz {

// A file of these bytes, until the next call.
std::filesystem::path fileOf(const void* bytes, std::size_t size);
// Bytes that write(path) writes.
std::string writtenBy(const std::function<void(const std::filesystem::path&)>& write);

// Each section of a container as an inside. before, after: of the container in the file; around:
// from a container to the file.
std::vector<Inside> sectionsOf(const std::string& file, std::size_t before = 0,
                               std::size_t after = 0,
                               const std::function<std::string(const std::string&)>& around = {});

// A container between the OpenVDB part of a .vdb and a trailer that is true of it.
std::string latticeFileOf(const std::string& vdb, const std::string& container);

// Calls read(path), which must return or throw StageError(BadInput).
template <class Read>
int readFileOrRefuse(const std::uint8_t* data, std::size_t size, const Read& read) {
  return countOutcome([&] { read(fileOf(data, size)); });
}

}  // namespace tessera::fuzz
