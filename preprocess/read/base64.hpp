// SPDX-License-Identifier: GPL-3.0-or-later
// Base64 (RFC 4648) as VTK writes it: several pieces one after the other, each padded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::preprocess::read {

// The first bytes, at most so many; fewer where the text ends or anything but base64 comes, blanks
// apart. Reads no further than needed.
std::string decodeBase64(std::string_view text, std::size_t most);

}  // namespace tessera::preprocess::read
