// SPDX-License-Identifier: GPL-3.0-or-later
// The name of the machine a process runs on, as all that ranks say has it.
#pragma once

#include <unistd.h>

#include <array>

namespace tessera::solver::comm {

using HostName = std::array<char, 256>;  // ends with a zero

inline HostName hostName() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name;
}

}  // namespace tessera::solver::comm
