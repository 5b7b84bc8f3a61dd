// SPDX-License-Identifier: GPL-3.0-or-later
// Properties shared by Tessera's .vdb files: transform to the world, a UUID derived from the
// content; writing by the module that links OpenVDB.
#pragma once

#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <thread>

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

// Loads the module by a thread of its own, for a program that writes later: at most one in a
// program, before any writing. What fails is said when something is written. The destructor waits
// for the end of loading: a program that ends while OpenVDB's logging library begins would destroy
// it half made.
class VdbModuleAhead {
 public:
  VdbModuleAhead();
  VdbModuleAhead(const VdbModuleAhead&) = delete;
  VdbModuleAhead& operator=(const VdbModuleAhead&) = delete;
  ~VdbModuleAhead();

 private:
  std::thread thread_;
};

// Replaces the random UUID by one derived from all other bytes.
void setContentUuid(std::string& bytes);
void setContentUuid(const std::filesystem::path& file);

}  // namespace tessera::preprocess::file
