// SPDX-License-Identifier: GPL-3.0-or-later
// Decompression of zlib and gzip data (RFC 1950, RFC 1952; also gzip files of several members), and
// of whole input files named .gz. Only the .cpp includes zlib.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

bool looksGzipped(std::string_view bytes);

// Up to `most` decompressed bytes; fewer where the input ends. Throws StageError(BadInput) for
// damaged data. name: of the file, for messages.
std::string inflateStart(std::string_view compressed, std::size_t most, const std::string& name);

// Decompresses that many bytes and ignores the rest. Throws StageError(BadInput) when the input is
// damaged, too short, or cannot hold as much (deflate's ratio is at most 1032), which is checked
// before allocation.
WholeFile inflateBytes(std::string_view compressed, std::size_t bytes, const std::string& name);

// Most bytes that a compressed input file may hold.
constexpr std::size_t mostUncompressed = std::size_t{64} << 30U;

// Decompresses a whole gzip file. Memory grows with the bytes that are really there, to at most
// `most` and twice that while growing; the length in the file's trailer is not used. Throws
// StageError(BadInput) when the data is damaged, truncated or holds more, (NoResource) when memory
// does not suffice.
WholeFile inflateWhole(std::string_view compressed, const std::string& name,
                       std::size_t most = mostUncompressed);

// The bytes of an input file, decompressed if its name ends in .gz. Throws as readWholeFile() and
// inflateWhole() do, and StageError(BadInput) for a .gz without gzip's magic.
WholeFile readUncompressed(const std::filesystem::path& path);

// Base64 (RFC 4648) as VTK writes it: consecutive pieces, each padded.

// Up to `most` bytes; fewer where the text ends or is not base64. Ignores blanks and reads no
// further than needed.
std::string decodeBase64(std::string_view text, std::size_t most);

}  // namespace tessera::preprocess::read
