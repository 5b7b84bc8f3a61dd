// SPDX-License-Identifier: GPL-3.0-or-later
// Container format of every Tessera file. All numbers are little-endian; offsets count from the
// container's first byte (in a .vdb it follows the OpenVDB part).
//
//   offset 0    64 B   header: magic "TESSERA\n", kind[8], endian mark u32 0x0A0B0C0D,
//                      major u16, minor u16, section count u32, chunk bytes u32 (2^20),
//                      checksum count u64, directory bytes u64, zeros
//   64          64 B x sections   name[32] zero padded, element type u32, element bytes u32,
//                      count u64, offset u64, index of the first chunk's checksum u64
//   then        16 B x chunks     XXH3-128 of each chunk of each section, in section order
//   then        payload: each section at a multiple of 64, zeros between
//   end - 48    trailer: magic "TESSEND\n", container bytes u64, content hash 16 B
//                      (XXH3-128 of header, table and checksums: hence every byte), hash of the
//                      trailer's first 32 bytes 16 B
//
// Every count is checked against the file size before memory is allocated, every chunk against its
// checksum when it is read, and the bytes between sections must be zero: any altered or missing
// byte is found. A newer major version is refused, a newer minor one is read.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/io/spread_bytes.hpp"

namespace tessera::stage {

class AtomicFile;
class SharedFile;
namespace layout {
struct Directory;
}

static_assert(std::endian::native == std::endian::little,
              "the container is written in memory order");

enum class ElementType : std::uint32_t { Text = 0, Unsigned = 1, Signed = 2, Float = 3 };

// 32 lowercase hexadecimal digits of an XXH3-128.
using ContentHash = std::string;

template <class T>
concept ContainerElement = std::is_trivially_copyable_v<T>;

// Scalar type of a section of T: T itself, or the element of a std::array (vector<array<float, 3>>
// is a section of floats with elements of 12 bytes).
template <class T>
struct ScalarOf {
  using type = T;
};
template <class T, std::size_t n>
struct ScalarOf<std::array<T, n>> {
  using type = T;
};
template <ContainerElement T>
constexpr ElementType elementTypeOf() {
  using Scalar = typename ScalarOf<T>::type;
  if constexpr (std::is_floating_point_v<Scalar>) return ElementType::Float;
  if constexpr (std::is_signed_v<Scalar>) return ElementType::Signed;
  return ElementType::Unsigned;
}

class ContainerWriter {
  friend class ContainerTogether;

 public:
  // kind: up to 8 characters, "lattice", "tiles", "fields", "ckpt".
  ContainerWriter(std::string kind, std::uint16_t major, std::uint16_t minor);
  // Sections keep the order in which they are added. The data must stay alive until write().
  void addText(std::string name, std::string text);
  template <ContainerElement T>
  void add(std::string name, std::span<const T> values) {
    addBytes(std::move(name), elementTypeOf<T>(), sizeof(T), values.size(), std::as_bytes(values));
  }
  template <ContainerElement T>
  void add(std::string name, const std::vector<T>& values) {
    add(std::move(name), std::span<const T>(values));
  }
  // A section generated while it is written, chunk by chunk: fill(first byte, target) is called
  // twice for each chunk, the first time in any order and from several threads.
  using Fill = std::function<void(std::uint64_t, std::span<std::byte>)>;
  void addMade(std::string name, ElementType type, std::size_t elementBytes, std::uint64_t count,
               Fill fill);
  // A section distributed over several processes; only for write(SharedFile&).
  void addSpread(std::string name, ElementType type, std::size_t elementBytes, std::uint64_t count,
                 SpreadBytes bytes);
  // Appends the container to the file; returns its content hash.
  ContentHash write(AtomicFile& file) const;
  // The same bytes written collectively; each process added the same sections. Distributed sections
  // are written by all, pieceBytes per process at a time, all others (which may be empty elsewhere)
  // by the first. Throws StageError(OutputFailed) on all.
  static constexpr std::uint64_t usualPiece = std::uint64_t{8} << 20U;
  ContentHash write(SharedFile& file, std::uint64_t pieceBytes = usualPiece) const;

 private:
  struct Section {
    std::string name;
    ElementType type;
    std::uint32_t elementBytes;
    std::uint64_t count;
    std::span<const std::byte> bytes;
    Fill fill;                              // generated section; bytes are empty then
    std::unique_ptr<SpreadBytes> spread{};  // distributed section
    [[nodiscard]] std::uint64_t size() const { return count * elementBytes; }
  };
  void addSection(Section section);
  [[nodiscard]] layout::Directory directory() const;
  static void makeChecksums(const Section& section, std::span<Hash128> checksums);
  static void writeSection(const Section& section, AtomicFile& file);
  void addBytes(std::string name, ElementType type, std::size_t elementBytes, std::size_t count,
                std::span<const std::byte> bytes);
  std::string kind_;
  std::uint16_t major_;
  std::uint16_t minor_;
  std::vector<Section> sections_;
  std::vector<std::unique_ptr<std::string>> texts_;
};

struct SectionInfo {
  std::string name;
  ElementType type;
  std::uint32_t elementBytes;
  std::uint64_t count;
  std::uint64_t offset;  // from the container's start
  std::uint64_t firstChunk;
};

struct ElementRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

class ContainerReader {
 public:
  // Opens and checks header, table, checksums and trailer. expectedKind empty: any. offset: start
  // of the container in the file; endPadding: bytes between its end and the file's. Throws
  // StageError(BadInput) naming the file and the section.
  ContainerReader(const std::filesystem::path& path, std::string_view expectedKind,
                  std::uint16_t knownMajor, std::uint64_t offset = 0, std::uint64_t endPadding = 0);
  ContainerReader(ContainerReader&&) noexcept;
  ~ContainerReader();

  [[nodiscard]] const std::string& kind() const;
  [[nodiscard]] std::uint16_t major() const;
  [[nodiscard]] std::uint16_t minor() const;
  [[nodiscard]] const ContentHash& contentHash() const;
  [[nodiscard]] const std::vector<SectionInfo>& sections() const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  // Throws if the section is absent, of another type, or does not have expectedCount elements.
  static constexpr std::uint64_t anyCount = ~std::uint64_t{0};
  template <ContainerElement T>
  [[nodiscard]] std::vector<T> read(std::string_view name,
                                    std::uint64_t expectedCount = anyCount) const {
    const SectionInfo& section = find(name, elementTypeOf<T>(), sizeof(T), expectedCount);
    std::vector<T> values(section.count);
    readBytes(section, std::as_writable_bytes(std::span<T>(values)));
    return values;
  }
  // Throws as read() does, without reading.
  template <ContainerElement T>
  void require(std::string_view name, std::uint64_t expectedCount) const {
    (void)find(name, elementTypeOf<T>(), sizeof(T), expectedCount);
  }
  // Elements first .. first + count of a section; reads and checks only the chunks that contain
  // them. Throws as read(), and if the section is shorter.
  template <ContainerElement T>
  [[nodiscard]] std::vector<T> readRange(std::string_view name, std::uint64_t first,
                                         std::uint64_t count) const {
    const SectionInfo& section = find(name, elementTypeOf<T>(), sizeof(T), anyCount);
    requireRange(section, first, count);
    std::vector<T> values(count);
    readBytesFrom(section, first * sizeof(T), std::as_writable_bytes(std::span<T>(values)));
    return values;
  }
  // Elements of several ranges, concatenated; ranges ascend and do not overlap. No chunk is read
  // twice. Throws as readRange().
  template <ContainerElement T>
  [[nodiscard]] std::vector<T> readRanges(std::string_view name,
                                          std::span<const ElementRange> ranges) const {
    const SectionInfo& section = find(name, elementTypeOf<T>(), sizeof(T), anyCount);
    std::vector<T> values(requireRanges(section, ranges));
    readBytesOf(section, ranges, std::as_writable_bytes(std::span<T>(values)));
    return values;
  }
  // Reads and checks everything, padding included. Throws on the first defect.
  void verify() const;

 private:
  struct Impl;
  [[nodiscard]] const SectionInfo& find(std::string_view name, ElementType type,
                                        std::size_t elementBytes,
                                        std::uint64_t expectedCount) const;
  void readBytes(const SectionInfo& section, std::span<std::byte> target) const;
  void requireRange(const SectionInfo& section, std::uint64_t first, std::uint64_t count) const;
  void readBytesFrom(const SectionInfo& section, std::uint64_t begin,
                     std::span<std::byte> target) const;
  std::uint64_t requireRanges(const SectionInfo& section,
                              std::span<const ElementRange> ranges) const;
  void readBytesOf(const SectionInfo& section, std::span<const ElementRange> ranges,
                   std::span<std::byte> target) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::stage
