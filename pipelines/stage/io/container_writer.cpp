// SPDX-License-Identifier: GPL-3.0-or-later
// Container writer in one pass over the file: sections are in memory or can be generated twice, so
// their checksums come first.
#include <algorithm>
#include <stdexcept>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/container_layout.hpp"
#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {
namespace {

template <class T>
std::span<const std::byte> bytesOf(const T& record) {
  return std::as_bytes(std::span(&record, 1));
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
  addSection(
      {std::move(name), type, static_cast<std::uint32_t>(elementBytes), count, bytes, {}, {}});
}

void ContainerWriter::addMade(std::string name, ElementType type, std::size_t elementBytes,
                              std::uint64_t count, Fill fill) {
  addSection({std::move(name),
              type,
              static_cast<std::uint32_t>(elementBytes),
              count,
              {},
              std::move(fill),
              {}});
}

void ContainerWriter::addSpread(std::string name, ElementType type, std::size_t elementBytes,
                                std::uint64_t count, SpreadBytes bytes) {
  addSection({std::move(name),
              type,
              static_cast<std::uint32_t>(elementBytes),
              count,
              {},
              {},
              std::make_unique<SpreadBytes>(std::move(bytes))});
}

void ContainerWriter::addSection(Section section) {
  const auto same = [&](const Section& other) { return other.name == section.name; };
  if (section.name.empty() || section.name.size() > sizeof(layout::SectionRecord::name) ||
      std::any_of(sections_.begin(), sections_.end(), same)) {
    throw std::logic_error("section name is empty, too long or taken: " + section.name);
  }
  sections_.push_back(std::move(section));
}

void ContainerWriter::makeChecksums(const Section& section, std::span<Hash128> checksums) {
  parallelFor(checksums.size(), [&](std::size_t chunk) {
    const layout::ChunkRange part = layout::chunkRange(chunk, section.size());
    if (!section.fill) {
      checksums[chunk] = hash128(section.bytes.subspan(part.begin, part.size));
      return;
    }
    std::vector<std::byte> made(part.size);
    section.fill(part.begin, made);
    checksums[chunk] = hash128(made);
  });
}

void ContainerWriter::writeSection(const Section& section, AtomicFile& file) {
  if (!section.fill) return file.write(section.bytes);
  std::vector<std::byte> made;
  for (std::uint64_t chunk = 0; chunk < layout::chunksOf(section.size()); ++chunk) {
    const layout::ChunkRange part = layout::chunkRange(chunk, section.size());
    made.resize(part.size);
    section.fill(part.begin, made);
    file.write(made);
  }
}

layout::Directory ContainerWriter::directory() const {
  layout::Directory out;
  for (const Section& section : sections_) {
    layout::SectionRecord record;
    std::copy(section.name.begin(), section.name.end(), record.name.begin());
    record.type = static_cast<std::uint32_t>(section.type);
    record.elementBytes = section.elementBytes;
    record.count = section.count;
    record.firstChunk = out.header.checksums;
    out.header.checksums += layout::chunksOf(section.size());
    out.table.push_back(record);
  }
  layout::Header& header = out.header;
  std::copy(kind_.begin(), kind_.end(), header.kind.begin());
  header.major = major_;
  header.minor = minor_;
  header.sections = static_cast<std::uint32_t>(out.table.size());
  header.directoryBytes = sizeof header + out.table.size() * sizeof(layout::SectionRecord) +
                          header.checksums * sizeof(Hash128);
  std::uint64_t end = header.directoryBytes;
  for (std::size_t s = 0; s < out.table.size(); ++s) {
    out.table[s].offset = layout::aligned(end);
    end = out.table[s].offset + sections_[s].size();
  }
  return out;
}

std::uint64_t layout::endOfPayload(const Directory& directory) {
  if (directory.table.empty()) return aligned(directory.header.directoryBytes);
  const SectionRecord& last = directory.table.back();
  return aligned(last.offset + last.count * last.elementBytes);
}

layout::Trailer layout::trailerOf(const Directory& directory, std::span<const Hash128> checksums) {
  Hasher hasher;
  hasher.update(bytesOf(directory.header));
  hasher.update(std::as_bytes(std::span(directory.table)));
  hasher.update(std::as_bytes(checksums));
  Trailer trailer;
  trailer.containerBytes = endOfPayload(directory) + sizeof trailer;
  trailer.contentHash = hasher.digest();
  trailer.ownHash = hash128(bytesOf(trailer).first(32));
  return trailer;
}

ContentHash ContainerWriter::write(AtomicFile& file) const {
  const layout::Directory directory = this->directory();
  std::vector<Hash128> checksums(directory.header.checksums);
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    if (sections_[s].spread) throw std::logic_error("section is spread: " + sections_[s].name);
    makeChecksums(sections_[s],
                  std::span(checksums).subspan(directory.table[s].firstChunk,
                                               layout::chunksOf(sections_[s].size())));
  }
  file.write(bytesOf(directory.header));
  file.write(std::as_bytes(std::span(directory.table)));
  file.write(std::as_bytes(std::span(checksums)));
  std::uint64_t at = directory.header.directoryBytes;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    writeZeros(file, directory.table[s].offset - at);
    writeSection(sections_[s], file);
    at = directory.table[s].offset + sections_[s].size();
  }
  writeZeros(file, layout::endOfPayload(directory) - at);
  const layout::Trailer trailer = layout::trailerOf(directory, checksums);
  file.write(bytesOf(trailer));
  return toHex(trailer.contentHash);
}

}  // namespace tessera::stage
