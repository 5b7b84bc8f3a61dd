// SPDX-License-Identifier: GPL-3.0-or-later
// What an action says on standard error.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace tessera {

template <class Action>
std::string standardErrorOf(const Action& action) {
  std::FILE* file = std::tmpfile();
  const int before = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  action();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::string said(static_cast<std::size_t>(::lseek(::fileno(file), 0, SEEK_END)), '\0');
  ::lseek(::fileno(file), 0, SEEK_SET);
  said.resize(static_cast<std::size_t>(::read(::fileno(file), said.data(), said.size())));
  std::fclose(file);
  return said;
}

}  // namespace tessera
