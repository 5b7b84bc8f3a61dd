// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a container's sections, each chunk compared with its checksum.
#include "pipelines/stage/io/container.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "pipelines/stage/io/container_directory.hpp"
#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {
namespace {

constexpr const char* anew = "make the file anew";

std::string typeName(ElementType type, std::uint64_t elementBytes) {
  constexpr std::array names{"text", "unsigned", "signed", "float"};
  return std::string(names[static_cast<std::size_t>(type)]) + " of " +
         std::to_string(elementBytes) + " bytes";
}

}  // namespace

ContainerReader::ContainerReader(const std::filesystem::path& path, std::string_view expectedKind,
                                 std::uint16_t knownMajor, std::uint64_t offset,
                                 std::uint64_t endPadding)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open(offset, endPadding);
  impl_->readHeader(expectedKind, knownMajor);
  impl_->readDirectory();
}

ContainerReader::ContainerReader(ContainerReader&&) noexcept = default;
ContainerReader::~ContainerReader() = default;

const std::string& ContainerReader::kind() const {
  return impl_->kind;
}
std::uint16_t ContainerReader::major() const {
  return impl_->header.major;
}
std::uint16_t ContainerReader::minor() const {
  return impl_->header.minor;
}
const ContentHash& ContainerReader::contentHash() const {
  return impl_->contentHash;
}
const std::vector<SectionInfo>& ContainerReader::sections() const {
  return impl_->sections;
}

bool ContainerReader::has(std::string_view name) const {
  return std::any_of(sections().begin(), sections().end(),
                     [&](const SectionInfo& section) { return section.name == name; });
}

std::string ContainerReader::text(std::string_view name) const {
  const SectionInfo& section = find(name, ElementType::Text, 1, anyCount);
  std::string value(section.count, '\0');
  readBytes(section, std::as_writable_bytes(std::span(value.data(), value.size())));
  return value;
}

const SectionInfo& ContainerReader::find(std::string_view name, ElementType type,
                                         std::size_t elementBytes,
                                         std::uint64_t expectedCount) const {
  const auto found = std::find_if(sections().begin(), sections().end(),
                                  [&](const SectionInfo& section) { return section.name == name; });
  if (found == sections().end())
    impl_->refuse("has no section \"" + std::string(name) + "\"", anew);
  if (found->type != type || found->elementBytes != elementBytes) {
    impl_->refuse("has in section \"" + found->name + "\" elements " +
                      typeName(found->type, found->elementBytes) + ", expected were " +
                      typeName(type, elementBytes),
                  anew);
  }
  if (expectedCount != anyCount && found->count != expectedCount) {
    impl_->refuse("has " + std::to_string(found->count) + " elements in section \"" + found->name +
                      "\", expected were " + std::to_string(expectedCount),
                  anew);
  }
  return *found;
}

void ContainerReader::readBytes(const SectionInfo& section, std::span<std::byte> target) const {
  const std::size_t chunks = layout::chunksOf(target.size());
  parallelFor(chunks, [&](std::size_t chunk) {
    const std::size_t begin = chunk * layout::chunkBytes;
    const std::size_t bytes = std::min<std::size_t>(layout::chunkBytes, target.size() - begin);
    const std::span part = target.subspan(begin, bytes);
    impl_->readAt(section.offset + begin, part);
    if (hash128(part) != impl_->checksums[section.firstChunk + chunk]) {
      impl_->reject("was altered in section \"" + section.name + "\"");
    }
  });
  impl_->checkPaddingAfter(section);
}

void ContainerReader::requireRange(const SectionInfo& section, std::uint64_t first,
                                   std::uint64_t count) const {
  if (first <= section.count && count <= section.count - first) return;
  impl_->refuse("has " + std::to_string(section.count) + " elements in section \"" + section.name +
                    "\", and " + std::to_string(count) + " from " + std::to_string(first) +
                    " on were asked for",
                anew);
}

void ContainerReader::readBytesFrom(const SectionInfo& section, std::uint64_t begin,
                                    std::span<std::byte> target) const {
  if (target.empty()) return;
  const std::uint64_t end = begin + target.size();
  const std::uint64_t first = begin / layout::chunkBytes;
  parallelFor(layout::chunksOf(end) - first, [&](std::size_t k) {
    const std::vector<std::byte> chunk = impl_->checkedChunk(section, first + k);
    const std::uint64_t start = (first + k) * layout::chunkBytes;
    const std::uint64_t from = std::max(begin, start);
    const std::uint64_t to = std::min<std::uint64_t>(end, start + chunk.size());
    std::memcpy(target.data() + (from - begin), chunk.data() + (from - start), to - from);
  });
  if (end == bytesOfSection(section)) impl_->checkPaddingAfter(section);
}

std::uint64_t ContainerReader::requireRanges(const SectionInfo& section,
                                             std::span<const ElementRange> ranges) const {
  std::uint64_t sum = 0;
  std::uint64_t end = 0;
  for (const ElementRange& range : ranges) {
    if (range.first < end) throw std::logic_error("ranges of a section do not ascend");
    requireRange(section, range.first, range.count);
    end = range.first + range.count;
    sum += range.count;
  }
  return sum;
}

// By the chunks that any range has a part of, each of which is read once.
void ContainerReader::readBytesOf(const SectionInfo& section, std::span<const ElementRange> ranges,
                                  std::span<std::byte> target) const {
  struct Piece {
    std::uint64_t begin;  // in the section
    std::uint64_t end;
    std::uint64_t target;
  };
  std::vector<std::pair<std::uint64_t, std::vector<Piece>>> chunks;
  std::uint64_t put = 0;
  for (const ElementRange& range : ranges) {
    const std::uint64_t end = (range.first + range.count) * section.elementBytes;
    for (std::uint64_t at = range.first * section.elementBytes; at < end;) {
      const std::uint64_t chunk = at / layout::chunkBytes;
      const std::uint64_t next = std::min(end, (chunk + 1) * layout::chunkBytes);
      if (chunks.empty() || chunks.back().first != chunk) chunks.push_back({chunk, {}});
      chunks.back().second.push_back({at, next, put});
      put += next - at;
      at = next;
    }
  }
  parallelFor(chunks.size(), [&](std::size_t k) {
    const std::vector<std::byte> chunk = impl_->checkedChunk(section, chunks[k].first);
    const std::uint64_t start = chunks[k].first * layout::chunkBytes;
    for (const Piece& piece : chunks[k].second)
      std::memcpy(&target[piece.target], &chunk[piece.begin - start], piece.end - piece.begin);
  });
  if (!chunks.empty() && chunks.back().first + 1 == layout::chunksOf(bytesOfSection(section)))
    impl_->checkPaddingAfter(section);
}

void ContainerReader::verify() const {
  for (const SectionInfo& section : sections()) {
    parallelFor(layout::chunksOf(bytesOfSection(section)),
                [&](std::size_t chunk) { (void)impl_->checkedChunk(section, chunk); });
    impl_->checkPaddingAfter(section);
  }
}

}  // namespace tessera::stage
