// SPDX-License-Identifier: GPL-3.0-or-later
// Version, commit and build. The commit is that of the moment of the build: version_info.hpp is
// rewritten by pipelines/cmake/git_hash.cmake whenever it changes.
#include "pipelines/stage/cli/command_line.hpp"
#include "version_info.hpp"

namespace tessera::stage {

std::string versionNumber() {
  return TESSERA_VERSION;
}

std::string gitHash() {
  return TESSERA_GIT_HASH;
}

std::string buildDescription() {
  return TESSERA_BUILD;
}

}  // namespace tessera::stage
