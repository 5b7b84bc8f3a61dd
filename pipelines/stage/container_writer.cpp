// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a container in one pass over the file: its sections lie in memory, or can be made twice,
// so their checksums come first.
#include <algorithm>
#include <stdexcept>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/container.hpp"
#include "pipelines/stage/container_layout.hpp"
#include "pipelines/stage/parallel_for.hpp"

namespace tessera {
namespace {

template <class T>
std::span<const std::byte> bytesOf(const T& record) {
  return std::as_bytes(std::span(&record, 1));
}

struct Part {
  std::uint64_t begin;
  std::size_t size;
};

// A chunk of a section of so many bytes.
Part partOf(std::uint64_t chunk, std::uint64_t bytes) {
  const std::uint64_t begin = chunk * layout::chunkBytes;
  return {begin, static_cast<std::size_t>(std::min(layout::chunkBytes, bytes - begin))};
}

void writeZeros(AtomicFile& file, std::uint64_t count) {
  constexpr std::array<std::byte, layout::alignment> zeros{};
  file.write(std::span(zeros).first(count));
}

}  // namespace

ContainerWriter::ContainerWriter(std::string kind, std::uint16_t major, std::uint16_t minor)
    : kind_(std::move(kind)), major_(major), minor_(minor) {
  if (kind_.size() > sizeof(layout::Header::kind)) {
    throw std::logic_error("container kind is longer than 8 characters: " + kind_);
  }
}

void ContainerWriter::addText(std::string name, std::string text) {
  texts_.push_back(std::make_unique<std::string>(std::move(text)));
  const std::string& kept = *texts_.back();
  addBytes(std::move(name), ElementType::Text, 1, kept.size(),
           std::as_bytes(std::span(kept.data(), kept.size())));
}

void ContainerWriter::addBytes(std::string name, ElementType type, std::size_t elementBytes,
                               std::size_t count, std::span<const std::byte> bytes) {
  addSection({std::move(name), type, static_cast<std::uint32_t>(elementBytes), count, bytes, {}});
}

void ContainerWriter::addMade(std::string name, ElementType type, std::size_t elementBytes,
                              std::uint64_t count, Fill fill) {
  addSection({std::move(name),
              type,
              static_cast<std::uint32_t>(elementBytes),
              count,
              {},
              std::move(fill)});
}

void ContainerWriter::addSection(Section section) {
  const auto same = [&](const Section& other) { return other.name == section.name; };
  if (section.name.empty() || section.name.size() > sizeof(layout::SectionRecord::name) ||
      std::any_of(sections_.begin(), sections_.end(), same)) {
    throw std::logic_error("section name is empty, too long or taken: " + section.name);
  }
  sections_.push_back(std::move(section));
}

void ContainerWriter::appendChecksums(const Section& section, std::vector<Hash128>& checksums) {
  const std::size_t first = checksums.size();
  const std::size_t chunks = layout::chunksOf(section.size());
  checksums.resize(first + chunks);
  parallelFor(chunks, [&](std::size_t chunk) {
    const Part part = partOf(chunk, section.size());
    Hash128& checksum = checksums[first + chunk];
    if (!section.fill) {
      checksum = hash128(section.bytes.subspan(part.begin, part.size));
      return;
    }
    std::vector<std::byte> made(part.size);
    section.fill(part.begin, made);
    checksum = hash128(made);
  });
}

void ContainerWriter::writeSection(const Section& section, AtomicFile& file) {
  if (!section.fill) return file.write(section.bytes);
  std::vector<std::byte> made;
  for (std::uint64_t chunk = 0; chunk < layout::chunksOf(section.size()); ++chunk) {
    const Part part = partOf(chunk, section.size());
    made.resize(part.size);
    section.fill(part.begin, made);
    file.write(made);
  }
}

ContentHash ContainerWriter::write(AtomicFile& file) const {
  std::vector<Hash128> checksums;
  std::vector<layout::SectionRecord> table;
  for (const Section& section : sections_) {
    layout::SectionRecord record;
    std::copy(section.name.begin(), section.name.end(), record.name.begin());
    record.type = static_cast<std::uint32_t>(section.type);
    record.elementBytes = section.elementBytes;
    record.count = section.count;
    record.firstChunk = checksums.size();
    appendChecksums(section, checksums);
    table.push_back(record);
  }
  layout::Header header;
  std::copy(kind_.begin(), kind_.end(), header.kind.begin());
  header.major = major_;
  header.minor = minor_;
  header.sections = static_cast<std::uint32_t>(table.size());
  header.checksums = checksums.size();
  header.directoryBytes =
      sizeof header + table.size() * sizeof(layout::SectionRecord) + checksums.size() * 16;
  std::uint64_t end = header.directoryBytes;
  for (std::size_t s = 0; s < table.size(); ++s) {
    table[s].offset = layout::aligned(end);
    end = table[s].offset + sections_[s].size();
  }

  Hasher hasher;
  for (const auto part :
       {bytesOf(header), std::as_bytes(std::span(table)), std::as_bytes(std::span(checksums))}) {
    hasher.update(part);
    file.write(part);
  }
  std::uint64_t at = header.directoryBytes;
  for (std::size_t s = 0; s < table.size(); ++s) {
    writeZeros(file, table[s].offset - at);
    writeSection(sections_[s], file);
    at = table[s].offset + sections_[s].size();
  }
  writeZeros(file, layout::aligned(at) - at);

  layout::Trailer trailer;
  trailer.containerBytes = layout::aligned(at) + sizeof trailer;
  trailer.contentHash = hasher.digest();
  trailer.ownHash = hash128(bytesOf(trailer).first(32));
  file.write(bytesOf(trailer));
  return toHex(trailer.contentHash);
}

}  // namespace tessera
