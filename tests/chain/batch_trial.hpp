// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of batch scripts: a tube, its cases, and the same runs without a batch
// system.
#pragma once

#include <string>

#include "tests/fixtures/chain.hpp"

namespace tessera::chain {

// With a slash at its end.
extern const std::string batchFolder;

// A case of so many steps with this mean velocity, such as "0.02 m/s", at the inlet.
std::string tubeCase(const std::string& mean, long steps);

// tube.stl, rest.toml, walk.toml.
void prepareTube(const WorkFolder& work);

// The whole chain for NAME.toml in the folder direct/.
void runDirectly(const WorkFolder& work, const std::string& name);

// Fields and results of NAME, byte for byte.
void checkSameAsDirect(const WorkFolder& work, const std::string& name);

}  // namespace tessera::chain
