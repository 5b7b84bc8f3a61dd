// SPDX-License-Identifier: GPL-3.0-or-later
// What a container's reader knows of its file, from the header, section table and checksums. Only
// for container.cpp and container_directory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/container_layout.hpp"

namespace tessera::stage {

inline std::uint64_t bytesOfSection(const SectionInfo& section) {
  return section.count * section.elementBytes;  // checked when the table was read
}

struct ContainerReader::Impl {
  std::filesystem::path path;
  int descriptor = -1;
  std::uint64_t start = 0;  // of the container in the file
  std::uint64_t size = 0;   // of the container
  layout::Header header;
  std::string kind;
  std::vector<SectionInfo> sections;
  std::vector<Hash128> checksums;
  ContentHash contentHash;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  // DamagedFile.
  [[noreturn]] void reject(const std::string& defect) const;
  // StageError(BadInput) of what is no damage: it is whole, or may be.
  [[noreturn]] void refuse(const std::string& finding, const std::string& advice) const;

  // Reads [offset, offset + target.size()) of the container, which must lie inside.
  void readAt(std::uint64_t offset, std::span<std::byte> target) const;
  template <class T>
  [[nodiscard]] T recordAt(std::uint64_t offset) const {
    T record;
    readAt(offset, std::as_writable_bytes(std::span(&record, 1)));
    return record;
  }

  void open(std::uint64_t offset, std::uint64_t endPadding);
  void readHeader(std::string_view expectedKind, std::uint16_t knownMajor);
  void readDirectory();
  void checkDirectoryHash(const layout::Trailer& trailer, std::span<const std::byte> directory);
  void checkTable(std::span<const layout::SectionRecord> table) const;
  void checkLength(const std::optional<layout::Trailer>& trailer) const;
  [[nodiscard]] std::optional<layout::Trailer> readTrailer() const;
  void checkZeros(std::uint64_t begin, std::uint64_t end, const std::string& where) const;
  void checkPaddingAfter(const SectionInfo& section) const;
  // One chunk of a section, compared with its checksum.
  [[nodiscard]] std::vector<std::byte> checkedChunk(const SectionInfo& section,
                                                    std::uint64_t chunk) const;
};

}  // namespace tessera::stage
