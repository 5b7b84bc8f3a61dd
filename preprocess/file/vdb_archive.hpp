// SPDX-License-Identifier: GPL-3.0-or-later
// Properties shared by Tessera's .vdb files: transform to the world, a UUID derived from the
// content; writing by the module that links OpenVDB.
#pragma once

#include <filesystem>
#include <ostream>
#include <span>
#include <string>

#include "preprocess/file/vdb_grids.hpp"
#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::file {

// Sets the transform and the metadata "units". OpenVDB treats a transform of spacing^3 < 3e-15 as
// singular, so lattices of up to 20 um are in micrometres, of up to 20 pm in picometres, others in
// metres.
void setWorld(VdbGrid& grid, const geometry::Frame& frame);

// Loads the module and writes; the UUID is random until setContentUuid(). Throws
// StageError(NoResource) where the module or the threads that it starts cannot be had.
void writeVdbGrids(std::ostream& stream, std::span<const VdbGrid> grids);

// Begins to load the module by a thread of its own, for a program that writes later: at most once,
// before any writing. What fails is said when something is written.
void loadVdbModuleAhead();

// Replaces the random UUID by one derived from all other bytes.
void setContentUuid(std::string& bytes);
void setContentUuid(const std::filesystem::path& file);

}  // namespace tessera::preprocess::file
