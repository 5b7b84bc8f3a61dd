// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a container and checks its header, section table and trailer before they are believed.
#include "pipelines/stage/io/container_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

#include "pipelines/stage/file_errors.hpp"

namespace tessera::stage {
namespace {

template <std::size_t n>
std::string fromPadded(const std::array<char, n>& padded) {
  return {padded.begin(), std::find(padded.begin(), padded.end(), '\0')};
}

// Product of the two, or the largest number when it does not fit.
std::uint64_t boundedProduct(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<std::uint64_t>::max();
  return product;
}

}  // namespace

ContainerReader::Impl::~Impl() {
  if (descriptor >= 0) ::close(descriptor);
}

void ContainerReader::Impl::reject(const std::string& defect) const {
  throw DamagedFile(path.string() + " " + defect + "; make the file anew.");
}

void ContainerReader::Impl::refuse(const std::string& finding, const std::string& advice) const {
  fail(ExitCode::BadInput, path.string() + " " + finding + "; " + advice + ".");
}

void ContainerReader::Impl::readAt(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t got =
        ::pread(descriptor, target.data(), target.size(), static_cast<off_t>(start + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      refuse("cannot be read: " + std::generic_category().message(errno),
             "check the disk or the network it is on, and try again");
    if (got == 0) refuse("became shorter while it was read", "let nothing else write it");
    offset += static_cast<std::uint64_t>(got);
    target = target.subspan(static_cast<std::size_t>(got));
  }
}

void ContainerReader::Impl::open(std::uint64_t offset, std::uint64_t endPadding) {
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    refuse("cannot be opened: " + std::generic_category().message(errno),
           "check the name and the rights");
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    refuse("is not a regular file", "name a Tessera file");
  const auto fileBytes = static_cast<std::uint64_t>(status.st_size);
  start = offset;
  if (offset > fileBytes || endPadding > fileBytes - offset) {
    reject("is truncated: its Tessera part should begin at byte " + std::to_string(offset) +
           ", but it has only " + std::to_string(fileBytes));
  }
  size = fileBytes - offset - endPadding;
}

void ContainerReader::Impl::readHeader(std::string_view expectedKind, std::uint16_t knownMajor) {
  std::array<char, 8> magic{};
  if (size >= magic.size()) magic = recordAt<std::array<char, 8>>(0);
  if (magic != layout::headerMagic) {
    throw DamagedFile(path.string() +
                      " is not a Tessera file (its header does not begin with TESSERA); name " +
                      (expectedKind.empty() ? std::string("one")
                                            : "a file of kind " + std::string(expectedKind)) +
                      ".");
  }
  if (size < sizeof(layout::Header)) {
    reject("is truncated in its header: it has " + std::to_string(size) + " bytes");
  }
  header = recordAt<layout::Header>(0);
  kind = fromPadded(header.kind);
  if (header.endian != layout::endianMark) {
    reject("has a header with a damaged or foreign byte order mark");
  }
  if (!expectedKind.empty() && kind != expectedKind)
    refuse("is of kind \"" + kind + "\" by its header, but \"" + std::string(expectedKind) +
               "\" was expected",
           "name the file of that kind");
  if (header.major > knownMajor)
    refuse("has format version " + std::to_string(header.major) + "." +
               std::to_string(header.minor) + " by its header, newer than " +
               std::to_string(knownMajor) + ".x known here",
           "update Tessera");
  const std::uint64_t asked =
      sizeof header + std::uint64_t{header.sections} * sizeof(layout::SectionRecord);
  if (header.chunkBytes != layout::chunkBytes || header.directoryBytes < asked ||
      header.directoryBytes - asked != boundedProduct(header.checksums, sizeof(Hash128))) {
    reject("has a damaged header: its counts do not agree");
  }
  if (header.directoryBytes > size) {
    reject("is truncated or its header damaged: the section table and checksums should take " +
           std::to_string(header.directoryBytes) + " bytes of " + std::to_string(size));
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

// The trailer when it is whole.
std::optional<layout::Trailer> ContainerReader::Impl::readTrailer() const {
  if (size < header.directoryBytes + sizeof(layout::Trailer)) return std::nullopt;
  const auto trailer = recordAt<layout::Trailer>(size - sizeof(layout::Trailer));
  const auto own = hash128(std::as_bytes(std::span(&trailer, 1)).first(32));
  if (trailer.magic != layout::trailerMagic || own != trailer.ownHash) return std::nullopt;
  return trailer;
}

// Types are known, and offsets and checksums follow one another as the writer lays them.
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
      reject("is truncated or altered: section \"" + fromPadded(record.name) +
             "\" should end beyond the file's " + std::to_string(size) + " bytes");
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
    reject("is truncated in its trailer: it has " + std::to_string(size) + " of " +
           std::to_string(expected) + " bytes");
  }
  if (size > expected) {
    reject("has " + std::to_string(size - expected) + " bytes after its trailer");
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

}  // namespace tessera::stage
