// SPDX-License-Identifier: GPL-3.0-or-later
// Section meta of a checkpoint, as JSON: what must match when it is resumed, the step, recoveries
// and the states that the run may go back to, without their nodes.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/io/container.hpp"
#include "solver/file/checkpoint_file.hpp"

namespace tessera::solver::file {

// storageBytes: of a stored value.
std::string metaText(const Checkpoint& checkpoint, unsigned storageBytes);

// Throws StageError(BadInput) for another text. path: for the message.
Checkpoint readMeta(const std::filesystem::path& path, const stage::ContainerReader& reader);

}  // namespace tessera::solver::file
