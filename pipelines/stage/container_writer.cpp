// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a container in one pass: the sections lie in memory, so their checksums come first.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <stdexcept>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/container.hpp"
#include "pipelines/stage/container_layout.hpp"

namespace tessera {
namespace {

template <class T>
std::span<const std::byte> bytesOf(const T& record) {
  return std::as_bytes(std::span(&record, 1));
}

void appendChecksums(std::span<const std::byte> bytes, std::vector<Hash128>& checksums) {
  const std::size_t first = checksums.size();
  const std::size_t chunks = layout::chunksOf(bytes.size());
  checksums.resize(first + chunks);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t chunk) {
    const std::size_t begin = chunk * layout::chunkBytes;
    const std::size_t size = std::min<std::size_t>(layout::chunkBytes, bytes.size() - begin);
    checksums[first + chunk] = hash128(bytes.subspan(begin, size));
  });
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
  const auto same = [&](const Section& section) { return section.name == name; };
  if (name.empty() || name.size() > sizeof(layout::SectionRecord::name) ||
      std::any_of(sections_.begin(), sections_.end(), same)) {
    throw std::logic_error("section name is empty, too long or taken: " + name);
  }
  sections_.push_back(
      {std::move(name), type, static_cast<std::uint32_t>(elementBytes), count, bytes});
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
    appendChecksums(section.bytes, checksums);
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
    end = table[s].offset + sections_[s].bytes.size();
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
    file.write(sections_[s].bytes);
    at = table[s].offset + sections_[s].bytes.size();
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
