// SPDX-License-Identifier: GPL-3.0-or-later
// Corners of a triangle as indices into the vertices of its surface.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::stage {

using Triangle = std::array<std::uint32_t, 3>;  // vertex indices, counter-clockwise from outside

}  // namespace tessera::stage
