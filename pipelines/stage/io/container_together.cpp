// SPDX-License-Identifier: GPL-3.0-or-later
// Collective container writer: each process hashes and writes its own chunks of every distributed
// section, the first process everything else.
#include "pipelines/stage/io/container_together.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {

namespace {

using layout::chunkBytes;

// Header, table and checksums concatenated.
Message packed(const layout::Directory& directory, std::span<const Hash128> checksums) {
  const auto table = std::as_bytes(std::span(directory.table));
  Message message(sizeof directory.header + table.size() + checksums.size_bytes());
  std::memcpy(message.data(), &directory.header, sizeof directory.header);
  std::byte* end = std::copy(table.begin(), table.end(), &message[sizeof directory.header]);
  const auto bytes = std::as_bytes(checksums);
  std::copy(bytes.begin(), bytes.end(), end);
  return message;
}

bool sameSection(const layout::SectionRecord& a, const layout::SectionRecord& b) {
  return a.name == b.name && a.type == b.type && a.elementBytes == b.elementBytes &&
         a.count == b.count;
}

}  // namespace

// The directory comes from the first process, which alone knows the sizes of undistributed
// sections.
ContainerTogether::ContainerTogether(const ContainerWriter& writer, SharedFile& file)
    : writer_(writer), file_(file), processes_(file.processes()), directory_(writer.directory()) {
  const std::vector<layout::SectionRecord> own = directory_.table;
  const Message message = packed(directory_, {});
  const Message first = processes_.allGather(message).front();
  together(processes_, [&] {
    if (first.size() != message.size())
      throw std::logic_error("processes write different sections");
    std::memcpy(&directory_.header, first.data(), sizeof directory_.header);
    std::memcpy(directory_.table.data(), &first[sizeof directory_.header],
                own.size() * sizeof(layout::SectionRecord));
    for (std::size_t s = 0; s < own.size(); ++s)
      if (writer_.sections_[s].spread && !sameSection(own[s], directory_.table[s]))
        throw std::logic_error("processes write different sections \"" + writer_.sections_[s].name +
                               "\"");
    checksums_.resize(directory_.header.checksums);
  });
}

std::uint64_t ContainerTogether::bytesOf(std::size_t section) const {
  const layout::SectionRecord& record = directory_.table[section];
  return record.count * record.elementBytes;
}

Share ContainerTogether::chunksOf(std::size_t section, int rank) const {
  return shareOf(layout::chunksOf(bytesOf(section)), rank, processes_.size());
}

void ContainerTogether::take(std::uint64_t pieceBytes) {
  for (std::size_t s = 0; s < directory_.table.size(); ++s)
    if (writer_.sections_[s].spread) takeSection(s, pieceBytes, true);
}

// In rounds of whole chunks. An error is exchanged before the next round, so that no process waits
// for one that failed.
void ContainerTogether::takeSection(std::size_t section, std::uint64_t pieceBytes, bool keep) {
  constexpr std::uint64_t mostPerRound = std::uint64_t{1} << 30U;  // all processes together
  const auto size = static_cast<std::uint64_t>(processes_.size());
  const std::uint64_t chunks =
      std::max<std::uint64_t>(1, std::min(pieceBytes, mostPerRound / size) / chunkBytes);
  const std::uint64_t most = (layout::chunksOf(bytesOf(section)) + size - 1) / size;
  std::vector<Message> messages;
  std::vector<Share> asked;
  for (std::uint64_t done = 0; done < most; done += chunks) {
    together(processes_, [&] {
      receive(section, messages, asked, keep);
      asked.clear();
      for (int rank = 0; rank < processes_.size(); ++rank) {
        const Share own = chunksOf(section, rank);
        const std::uint64_t begin = std::min(own.end, own.begin + done);
        const std::uint64_t end = std::min(own.end, begin + chunks);
        asked.push_back({std::min(bytesOf(section), begin * chunkBytes),
                         std::min(bytesOf(section), end * chunkBytes)});
      }
      messages = messagesFor(*writer_.sections_[section].spread, asked);
    });
    messages = processes_.allToAll(std::move(messages));
  }
  together(processes_, [&] { receive(section, messages, asked, keep); });
}

void ContainerTogether::receive(std::size_t section, std::span<const Message> came,
                                std::span<const Share> asked, bool keep) {
  if (came.empty()) return;
  const Share own = asked[static_cast<std::size_t>(processes_.rank())];
  if (own.size() == 0) return;
  Piece piece{section, own.begin, putTogether(came, own)};
  if (keep)
    kept_.push_back(std::move(piece));
  else
    writePiece(piece);
}

void ContainerTogether::writePiece(const Piece& piece) {
  const layout::SectionRecord& record = directory_.table[piece.section];
  parallelFor(layout::chunksOf(piece.bytes.size()), [&](std::size_t k) {
    const layout::ChunkRange range = layout::chunkRange(k, piece.bytes.size());
    const auto chunk = std::span(piece.bytes).subspan(range.begin, range.size);
    checksums_[record.firstChunk + piece.begin / chunkBytes + k] = hash128(chunk);
    file_.writeAt(record.offset + piece.begin + range.begin, chunk);
  });
}

void ContainerTogether::write() {
  for (Piece& piece : kept_) {
    writePiece(piece);
    piece.bytes = {};
  }
  file_.sync();
}

// Each process has the checksums of its own chunks; afterwards all have all.
void ContainerTogether::gatherChecksums() {
  for (std::size_t s = 0; s < directory_.table.size(); ++s) {
    if (!writer_.sections_[s].spread) continue;
    const Share chunks = chunksOf(s, processes_.rank());
    Hash128* first = checksums_.data() + directory_.table[s].firstChunk;
    const auto all = gatherValues<Hash128>(
        processes_, std::span<const Hash128>(first + chunks.begin, chunks.size()));
    std::copy(all.begin(), all.end(), first);
  }
}

// Everything but the distributed sections.
void ContainerTogether::writeRest() {
  constexpr std::array<std::byte, layout::alignment> zeros{};
  std::uint64_t at = directory_.header.directoryBytes;
  for (std::size_t s = 0; s < directory_.table.size(); ++s) {
    const ContainerWriter::Section& section = writer_.sections_[s];
    const layout::SectionRecord& record = directory_.table[s];
    file_.writeAt(at, std::span(zeros).first(record.offset - at));
    at = record.offset + bytesOf(s);
    if (section.spread) continue;
    ContainerWriter::makeChecksums(
        section,
        std::span(checksums_).subspan(record.firstChunk, layout::chunksOf(section.size())));
    for (std::uint64_t chunk = 0; chunk < layout::chunksOf(section.size()); ++chunk) {
      const layout::ChunkRange part = layout::chunkRange(chunk, section.size());
      std::vector<std::byte> made(section.fill ? part.size : 0);
      if (section.fill) section.fill(part.begin, made);
      file_.writeAt(record.offset + part.begin,
                    section.fill ? made : section.bytes.subspan(part.begin, part.size));
    }
  }
  file_.writeAt(at, std::span(zeros).first(layout::endOfPayload(directory_) - at));
  const layout::Trailer trailer = layout::trailerOf(directory_, checksums_);
  file_.writeAt(layout::endOfPayload(directory_), std::as_bytes(std::span(&trailer, 1)));
  file_.writeAt(0, packed(directory_, checksums_));
}

ContentHash ContainerTogether::finish() {
  gatherChecksums();
  ContentHash hash;
  together(processes_, [&] {
    if (processes_.rank() != 0) return;
    writeRest();
    hash = toHex(layout::trailerOf(directory_, checksums_).contentHash);
  });
  const Message first = processes_.allGather(std::as_bytes(std::span(hash))).front();
  return {reinterpret_cast<const char*>(first.data()), first.size()};
}

ContentHash ContainerWriter::write(SharedFile& file, std::uint64_t pieceBytes) const {
  ContainerTogether container(*this, file);
  for (std::size_t s = 0; s < sections_.size(); ++s)
    if (sections_[s].spread) container.takeSection(s, pieceBytes, false);
  return container.finish();
}

}  // namespace tessera::stage
