// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

struct InfoAnswer {
  int status = -1;
  std::string out;
  std::string err;
};

// tessera-info with these arguments in a folder, where the files out and err stay.
inline InfoAnswer runInfo(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() +
                              "' && '" TESSERA_BIN "/tessera-info' " + arguments +
                              " >out 2>err </dev/null";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), readWhole(folder / "out"), readWhole(folder / "err")};
}

}  // namespace tessera
