// SPDX-License-Identifier: GPL-3.0-or-later
// What must be known of a TOML text before toml++ 3.3 may read it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tessera {

// The line, from 1, of the first character outside ASCII that stands neither in a string nor in a
// comment, where TOML knows none: toml++ takes some of them for something that cannot happen. A
// byte order mark at the start is none.
std::optional<std::size_t> lineOfStrayCharacter(std::string_view text);

}  // namespace tessera
