// SPDX-License-Identifier: GPL-3.0-or-later
// A container written by several processes in steps, so that what takes long goes on behind a run
// whose processes have other things to tell each other meanwhile: take() exchanges, write() works
// on what this process has then, finish() makes it a file. ContainerWriter::write(SharedFile&) is
// the same at one go, with less memory.
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
  // By all together. The writer and the file stay as long as this.
  ContainerTogether(const ContainerWriter& writer, SharedFile& file);

  // By all together, so many bytes a process and round: of each spread section the process's own
  // share comes to it. What these sections were made of may change afterwards.
  void take(std::uint64_t pieceBytes = ContainerWriter::usualPiece);
  // By each for itself, on any thread: hashes, writes and syncs what was taken. Throws
  // StageError(OutputFailed).
  void write();
  // By all together: the rest, by the first process. The file is to be committed then. Throws the
  // same on all.
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
