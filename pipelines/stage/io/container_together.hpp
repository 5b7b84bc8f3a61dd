// SPDX-License-Identifier: GPL-3.0-or-later
// A container written by several processes in separate steps, so that the slow part runs in the
// background while the processes exchange other messages: take() exchanges, write() is local,
// finish() completes the file. ContainerWriter::write(SharedFile&) does the same at once with less
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/container_layout.hpp"
#include "pipelines/stage/io/shared_file.hpp"

namespace tessera::stage {

class ContainerTogether {
 public:
  // Collective. Writer and file must outlive this.
  ContainerTogether(const ContainerWriter& writer, SharedFile& file);

  // Collective, pieceBytes per process and round: each process receives its own share of each
  // distributed section. The sources of these sections may change afterwards.
  void take(std::uint64_t pieceBytes = ContainerWriter::usualPiece);
  // Local, on any thread: hashes, writes and syncs the received share. Throws
  // StageError(OutputFailed).
  void write();
  // Collective: the first process writes the rest; afterwards the file is ready for commit().
  // Throws the same on all.
  ContentHash finish();

 private:
  friend class ContainerWriter;
  struct Piece {
    std::size_t section;
    std::uint64_t begin;  // in the section
    std::vector<std::byte> bytes;
  };
  void takeSection(std::size_t section, std::uint64_t pieceBytes, bool keep);
  void receive(std::size_t section, std::span<const Message> came, std::span<const Share> asked,
               bool keep);
  void writePiece(const Piece& piece);
  [[nodiscard]] std::uint64_t bytesOf(std::size_t section) const;
  [[nodiscard]] Share chunksOf(std::size_t section, int rank) const;
  void gatherChecksums();
  void writeRest();

  const ContainerWriter& writer_;
  SharedFile& file_;
  Processes& processes_;
  layout::Directory directory_;
  std::vector<Hash128> checksums_;
  std::vector<Piece> kept_;
};

}  // namespace tessera::stage
