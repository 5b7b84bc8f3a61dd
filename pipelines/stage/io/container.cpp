// SPDX-License-Identifier: GPL-3.0-or-later
// Container reader: opens a file, checks header, section table and trailer, and compares each chunk
// of a section with its checksum.
#include "pipelines/stage/io/container.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container_layout.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

// The program that writes files of a kind, for those who took the stages in another order.
std::string_view makerOf(std::string_view kind) {
  if (kind == "tiles") return ", which tessera-tiler makes of geom.vdb";
  if (kind == "fields") return ", which tessera-solver makes of geom.tiles and a case";
  return "";
}

constexpr const char* regenerate = "regenerate the file";

std::string typeName(ElementType type, std::uint64_t elementBytes) {
  constexpr std::array names{"text", "unsigned", "signed", "float"};
  return fmt::format("{} of {} bytes", names[static_cast<std::size_t>(type)], elementBytes);
}

template <std::size_t n>
std::string fromPadded(const std::array<char, n>& padded) {
  return {padded.begin(), std::find(padded.begin(), padded.end(), '\0')};
}

// Product of the two, or the largest number on overflow.
std::uint64_t boundedProduct(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<std::uint64_t>::max();
  return product;
}

std::uint64_t bytesOfSection(const SectionInfo& section) {
  return section.count * section.elementBytes;  // checked when the table was read
}

}  // namespace

struct ContainerReader::Impl {
  std::filesystem::path path;
  int descriptor = -1;
  std::uint64_t start = 0;  // container's offset in the file
  std::uint64_t size = 0;   // container's bytes
  layout::Header header;
  std::string kind;
  std::vector<SectionInfo> sections;
  std::vector<Hash128> checksums;
  ContentHash contentHash;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  // Throws DamagedFile.
  [[noreturn]] void reject(const std::string& defect) const;
  // Throws StageError(BadInput) for anything but damage.
  [[noreturn]] void refuse(const std::string& finding, const std::string& advice) const;

  // Reads [offset, offset + target.size()) of the container, which lies inside.
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

ContainerReader::Impl::~Impl() {
  if (descriptor >= 0) ::close(descriptor);
}

void ContainerReader::Impl::reject(const std::string& defect) const {
  throw DamagedFile(fmt::format("{} {}; {}.", path.string(), defect, regenerate));
}

void ContainerReader::Impl::refuse(const std::string& finding, const std::string& advice) const {
  fail(ExitCode::BadInput, fmt::format("{} {}; {}.", path.string(), finding, advice));
}

void ContainerReader::Impl::readAt(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t got =
        ::pread(descriptor, target.data(), target.size(), static_cast<off_t>(start + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      refuse("cannot be read: " + std::generic_category().message(errno),
             "check its disk or network, and try again");
    if (got == 0)
      refuse("became shorter while it was read", "make sure that no other program writes it");
    offset += static_cast<std::uint64_t>(got);
    target = target.subspan(static_cast<std::size_t>(got));
  }
}

void ContainerReader::Impl::open(std::uint64_t offset, std::uint64_t endPadding) {
  descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    refuse("cannot be opened: " + std::generic_category().message(errno),
           "check its name and permissions");
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    refuse("is not a regular file", "name a Tessera file");
  const auto fileBytes = static_cast<std::uint64_t>(status.st_size);
  start = offset;
  if (offset > fileBytes || endPadding > fileBytes - offset) {
    reject(
        fmt::format("is truncated: its Tessera part should begin at byte {}, but the file has {}",
                    offset, fileBytes));
  }
  size = fileBytes - offset - endPadding;
}

void ContainerReader::Impl::readHeader(std::string_view expectedKind, std::uint16_t knownMajor) {
  std::array<char, 8> magic{};
  if (size >= magic.size()) magic = recordAt<std::array<char, 8>>(0);
  if (magic != layout::headerMagic) {
    throw DamagedFile(
        fmt::format("{} is not a Tessera file (its header does not begin with TESSERA); name {}{}.",
                    path.string(),
                    expectedKind.empty() ? "one" : fmt::format("a file of kind {}", expectedKind),
                    makerOf(expectedKind)));
  }
  if (size < sizeof(layout::Header)) {
    reject(fmt::format("is truncated in its header: it has {} bytes", size));
  }
  header = recordAt<layout::Header>(0);
  kind = fromPadded(header.kind);
  if (header.endian != layout::endianMark) {
    reject("has a header with a damaged or foreign byte order mark");
  }
  if (!expectedKind.empty() && kind != expectedKind)
    refuse(fmt::format("is of kind \"{}\" by its header; expected \"{}\"", kind, expectedKind),
           fmt::format("name a file of that kind{}", makerOf(expectedKind)));
  if (header.major > knownMajor)
    refuse(fmt::format("has format version {}.{} by its header, newer than {}.x known here",
                       header.major, header.minor, knownMajor),
           "update Tessera");
  const std::uint64_t asked =
      sizeof header + std::uint64_t{header.sections} * sizeof(layout::SectionRecord);
  if (header.chunkBytes != layout::chunkBytes || header.directoryBytes < asked ||
      header.directoryBytes - asked != boundedProduct(header.checksums, sizeof(Hash128))) {
    reject("has a damaged header: its counts do not agree");
  }
  if (header.directoryBytes > size) {
    reject(
        fmt::format("is truncated or its header damaged: the section table and checksums should "
                    "take {} bytes of {}",
                    header.directoryBytes, size));
  }
}

void ContainerReader::Impl::readDirectory() {
  std::vector<std::byte> directory(header.directoryBytes);
  readAt(0, directory);
  std::vector<layout::SectionRecord> table(header.sections);
  checksums.resize(header.checksums);
  const std::span payload = std::span(directory).subspan(sizeof header);
  const std::size_t tableBytes = table.size() * sizeof(layout::SectionRecord);
  if (!table.empty()) std::memcpy(table.data(), payload.data(), tableBytes);
  if (!checksums.empty()) {
    std::memcpy(checksums.data(), payload.data() + tableBytes, checksums.size() * 16);
  }
  for (const layout::SectionRecord& record : table) {
    sections.push_back({fromPadded(record.name), static_cast<ElementType>(record.type),
                        record.elementBytes, record.count, record.offset, record.firstChunk});
  }
  const std::optional<layout::Trailer> trailer = readTrailer();
  if (trailer && trailer->containerBytes == size) checkDirectoryHash(*trailer, directory);
  checkTable(table);
  checkLength(trailer);
  checkZeros(header.directoryBytes, layout::aligned(header.directoryBytes), "its checksums");
}

void ContainerReader::Impl::checkDirectoryHash(const layout::Trailer& trailer,
                                               std::span<const std::byte> directory) {
  if (hash128(directory) != trailer.contentHash) {
    reject("was altered in its header, section table or checksums");
  }
  contentHash = toHex(trailer.contentHash);
}

// The trailer if it is complete.
std::optional<layout::Trailer> ContainerReader::Impl::readTrailer() const {
  if (size < header.directoryBytes + sizeof(layout::Trailer)) return std::nullopt;
  const auto trailer = recordAt<layout::Trailer>(size - sizeof(layout::Trailer));
  const auto own = hash128(std::as_bytes(std::span(&trailer, 1)).first(32));
  if (trailer.magic != layout::trailerMagic || own != trailer.ownHash) return std::nullopt;
  return trailer;
}

// Types are known; offsets and checksums follow one another in the writer's order.
void ContainerReader::Impl::checkTable(std::span<const layout::SectionRecord> table) const {
  std::uint64_t end = header.directoryBytes;
  std::uint64_t chunk = 0;
  for (const layout::SectionRecord& record : table) {
    const std::string where = "its section table at \"" + fromPadded(record.name) + "\"";
    const std::uint64_t bytes = boundedProduct(record.count, record.elementBytes);
    if (record.type > static_cast<std::uint32_t>(ElementType::Float) || record.elementBytes == 0 ||
        record.firstChunk != chunk || record.offset != layout::aligned(end)) {
      reject("is damaged in " + where);
    }
    if (record.offset > size || bytes > size - record.offset) {
      reject(
          fmt::format("is truncated or altered: section \"{}\" should end beyond the file's {} "
                      "bytes",
                      fromPadded(record.name), size));
    }
    end = record.offset + bytes;
    chunk += layout::chunksOf(bytes);
  }
  if (chunk != header.checksums) reject("is damaged in the number of its checksums");
}

void ContainerReader::Impl::checkLength(const std::optional<layout::Trailer>& trailer) const {
  const std::uint64_t end = sections.empty()
                                ? header.directoryBytes
                                : sections.back().offset + bytesOfSection(sections.back());
  const std::uint64_t expected = layout::aligned(end) + sizeof(layout::Trailer);
  if (size < expected) {
    reject(fmt::format("is truncated in its trailer: it has {} of {} bytes", size, expected));
  }
  if (size > expected) {
    reject(fmt::format("has {} bytes after its trailer", size - expected));
  }
  if (!trailer || trailer->containerBytes != size) reject("was altered in its trailer");
}

void ContainerReader::Impl::checkZeros(std::uint64_t begin, std::uint64_t end,
                                       const std::string& where) const {
  std::array<std::byte, layout::alignment> padding{};
  const std::span target = std::span(padding).first(end - begin);
  readAt(begin, target);
  if (std::any_of(target.begin(), target.end(), [](std::byte b) { return b != std::byte{0}; })) {
    reject("was altered in the padding after " + where);
  }
}

std::vector<std::byte> ContainerReader::Impl::checkedChunk(const SectionInfo& section,
                                                           std::uint64_t chunk) const {
  const std::uint64_t begin = chunk * layout::chunkBytes;
  std::vector<std::byte> bytes(
      std::min<std::uint64_t>(layout::chunkBytes, bytesOfSection(section) - begin));
  readAt(section.offset + begin, bytes);
  if (hash128(bytes) != checksums[section.firstChunk + chunk])
    reject("was altered in section \"" + section.name + "\"");
  return bytes;
}

void ContainerReader::Impl::checkPaddingAfter(const SectionInfo& section) const {
  const std::uint64_t end = section.offset + bytesOfSection(section);
  checkZeros(end, layout::aligned(end), "section \"" + section.name + "\"");
}

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
    impl_->refuse(fmt::format("has no section \"{}\"", name), regenerate);
  if (found->type != type || found->elementBytes != elementBytes) {
    impl_->refuse(
        fmt::format("has in section \"{}\" elements {}; expected {}", found->name,
                    typeName(found->type, found->elementBytes), typeName(type, elementBytes)),
        regenerate);
  }
  if (expectedCount != anyCount && found->count != expectedCount) {
    impl_->refuse(fmt::format("has {} elements in section \"{}\"; expected {}", found->count,
                              found->name, expectedCount),
                  regenerate);
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
  impl_->refuse(
      fmt::format("has {} elements in section \"{}\"; {} elements from {} on are required",
                  section.count, section.name, count, first),
      regenerate);
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

// Reads each chunk that the ranges touch once.
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
