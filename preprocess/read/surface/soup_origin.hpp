// SPDX-License-Identifier: GPL-3.0-or-later
// Where a soup's corners are measured from, so that floats hold them.
#pragma once

#include <span>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Zero where every coordinate is a float or none is farther from zero than four times the longest
// extent (floats then resolve 2^-22 of it, a quarter of what weld() takes for one place); else the
// middle of the box. Coordinates must be finite.
Double3 originFor(std::span<const Double3> points);

Float3 relativeTo(const Double3& origin, const Double3& point);

}  // namespace tessera::preprocess::read
