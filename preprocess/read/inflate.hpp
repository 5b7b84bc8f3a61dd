// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that zlib or gzip compressed (RFC 1950, RFC 1952; gzip files of several members, too).
// zlib.h is seen by inflate.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

bool looksGzipped(std::string_view bytes);

// The first bytes of what was compressed, at most so many. Throws StageError(BadInput) when they
// are damaged; fewer where the input ends. name: of the file, for sentences.
std::string inflateStart(std::string_view compressed, std::size_t most, const std::string& name);

// So many bytes; what follows them is ignored. Throws StageError(BadInput) when the input is
// damaged, ends before, or is too short to hold as much (deflate shrinks to 1/1032 at best), which
// is found before anything is allocated.
WholeFile inflateBytes(std::string_view compressed, std::size_t bytes, const std::string& name);

}  // namespace tessera::preprocess::read
