// SPDX-License-Identifier: GPL-3.0-or-later
// A container written by several processes: each hashes and writes the chunks that are its own of
// every spread section, the first all the rest.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "pipelines/stage/container.hpp"
#include "pipelines/stage/container_layout.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "pipelines/stage/shared_file.hpp"

namespace tessera {

namespace {

using layout::chunkBytes;

// Header, table and checksums one after another.
Message packed(const layout::Directory& directory, std::span<const Hash128> checksums) {
  const auto table = std::as_bytes(std::span(directory.table));
  Message message(sizeof directory.header + table.size() + checksums.size_bytes());
  std::memcpy(message.data(), &directory.header, sizeof directory.header);
  std::byte* end = std::copy(table.begin(), table.end(), &message[sizeof directory.header]);
  const auto bytes = std::as_bytes(checksums);
  std::copy(bytes.begin(), bytes.end(), end);
  return message;
}

// A spread section while it is written: so many bytes a process and round, of whole chunks.
class SpreadSection {
 public:
  SpreadSection(const SpreadBytes& own, const layout::SectionRecord& record, SharedFile& file,
                std::uint64_t pieceBytes)
      : own_(own),
        record_(record),
        file_(file),
        bytes_(record.count * record.elementBytes),
        pieceChunks_(std::max<std::uint64_t>(1, pieceBytes / chunkBytes)) {}

  // What is wrong here or elsewhere in a round is told before the next begins, so that no process
  // waits for one that has failed.
  void write(std::span<Hash128> checksums) {
    std::vector<Message> messages;
    std::vector<Share> asked;
    for (std::uint64_t round = 0; round < rounds(); ++round) {
      together(file_.processes(), [&] {
        finish(messages, asked, checksums);
        asked = askedIn(round);
        messages = messagesFor(own_, asked);
      });
      messages = file_.processes().allToAll(std::move(messages));
    }
    together(file_.processes(), [&] { finish(messages, asked, checksums); });
  }

 private:
  [[nodiscard]] Share chunksOf(int rank) const {
    return shareOf(layout::chunksOf(bytes_), rank, file_.processes().size());
  }
  [[nodiscard]] std::uint64_t rounds() const {
    std::uint64_t most = 0;
    for (int rank = 0; rank < file_.processes().size(); ++rank)
      most = std::max(most, (chunksOf(rank).size() + pieceChunks_ - 1) / pieceChunks_);
    return most;
  }
  // Bytes of each process.
  [[nodiscard]] std::vector<Share> askedIn(std::uint64_t round) const {
    std::vector<Share> asked;
    for (int rank = 0; rank < file_.processes().size(); ++rank) {
      const Share chunks = chunksOf(rank);
      const std::uint64_t begin = std::min(chunks.end, chunks.begin + round * pieceChunks_);
      const std::uint64_t end = std::min(chunks.end, begin + pieceChunks_);
      asked.push_back({std::min(bytes_, begin * chunkBytes), std::min(bytes_, end * chunkBytes)});
    }
    return asked;
  }
  void finish(std::span<const Message> came, std::span<const Share> asked,
              std::span<Hash128> checksums) const {
    if (came.empty()) return;
    const Share own = asked[static_cast<std::size_t>(file_.processes().rank())];
    const std::vector<std::byte> piece = putTogether(came, own);
    parallelFor(layout::chunksOf(piece.size()), [&](std::size_t k) {
      const layout::ChunkRange range = layout::chunkRange(k, piece.size());
      const auto chunk = std::span(piece).subspan(range.begin, range.size);
      checksums[own.begin / chunkBytes + k] = hash128(chunk);
      file_.writeAt(record_.offset + own.begin + range.begin, chunk);
    });
  }

  const SpreadBytes& own_;
  const layout::SectionRecord& record_;
  SharedFile& file_;
  std::uint64_t bytes_;
  std::uint64_t pieceChunks_;
};

// Each has those of its own chunks; then all have all.
void gatherChecksums(Processes& processes, std::span<Hash128> checksums) {
  const Share own = shareOf(checksums.size(), processes.rank(), processes.size());
  const auto all = gatherValues<Hash128>(processes, checksums.subspan(own.begin, own.size()));
  std::copy(all.begin(), all.end(), checksums.begin());
}

bool sameSection(const layout::SectionRecord& a, const layout::SectionRecord& b) {
  return a.name == b.name && a.type == b.type && a.elementBytes == b.elementBytes &&
         a.count == b.count;
}

}  // namespace

// The first process's, who alone knows the sizes of what is not spread.
layout::Directory ContainerWriter::commonDirectory(SharedFile& file) const {
  layout::Directory common = directory();
  const std::vector<layout::SectionRecord> own = common.table;
  const Message message = packed(common, {});
  const Message first = file.processes().allGather(message).front();
  together(file.processes(), [&] {
    if (first.size() != message.size())
      throw std::logic_error("processes write different sections");
    std::memcpy(&common.header, first.data(), sizeof common.header);
    std::memcpy(common.table.data(), &first[sizeof common.header],
                common.table.size() * sizeof(layout::SectionRecord));
    for (std::size_t s = 0; s < own.size(); ++s)
      if (sections_[s].spread && !sameSection(own[s], common.table[s]))
        throw std::logic_error("processes write different sections \"" + sections_[s].name + "\"");
  });
  return common;
}

// All but the spread sections.
void ContainerWriter::writeRest(const layout::Directory& directory, std::vector<Hash128>& checksums,
                                SharedFile& file) const {
  constexpr std::array<std::byte, layout::alignment> zeros{};
  std::uint64_t at = directory.header.directoryBytes;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    const Section& section = sections_[s];
    const layout::SectionRecord& record = directory.table[s];
    file.writeAt(at, std::span(zeros).first(record.offset - at));
    at = record.offset + section.size();
    if (section.spread) continue;
    makeChecksums(
        section, std::span(checksums).subspan(record.firstChunk, layout::chunksOf(section.size())));
    if (!section.fill) {
      file.writeAt(record.offset, section.bytes);
      continue;
    }
    for (std::uint64_t chunk = 0; chunk < layout::chunksOf(section.size()); ++chunk) {
      const layout::ChunkRange part = layout::chunkRange(chunk, section.size());
      std::vector<std::byte> made(part.size);
      section.fill(part.begin, made);
      file.writeAt(record.offset + part.begin, made);
    }
  }
  file.writeAt(at, std::span(zeros).first(layout::endOfPayload(directory) - at));
  const layout::Trailer trailer = layout::trailerOf(directory, checksums);
  file.writeAt(layout::endOfPayload(directory), std::as_bytes(std::span(&trailer, 1)));
  file.writeAt(0, packed(directory, checksums));
}

ContentHash ContainerWriter::write(SharedFile& file, std::uint64_t pieceBytes) const {
  constexpr std::uint64_t mostInARound = std::uint64_t{1} << 30U;  // of all processes
  Processes& processes = file.processes();
  const layout::Directory directory = commonDirectory(file);
  std::vector<Hash128> checksums(directory.header.checksums);
  const std::uint64_t piece =
      std::min(pieceBytes, mostInARound / static_cast<std::uint64_t>(processes.size()));
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    if (!sections_[s].spread) continue;
    const layout::SectionRecord& record = directory.table[s];
    const auto ofSection = std::span(checksums).subspan(
        record.firstChunk, layout::chunksOf(record.count * record.elementBytes));
    SpreadSection(*sections_[s].spread, record, file, piece).write(ofSection);
    gatherChecksums(processes, ofSection);
  }
  ContentHash hash;
  together(processes, [&] {
    if (processes.rank() != 0) return;
    writeRest(directory, checksums, file);
    hash = toHex(layout::trailerOf(directory, checksums).contentHash);
  });
  const Message first = processes.allGather(std::as_bytes(std::span(hash))).front();
  return {reinterpret_cast<const char*>(first.data()), first.size()};
}

}  // namespace tessera
