// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that one file of fields and a series of them share.
#pragma once

#include <filesystem>

#include "postprocess/export/file_metadata.hpp"
#include "postprocess/fields/run_files.hpp"
#include "postprocess/options.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess {

// Results with names and provenance. Pressures of the run become relative to the point of
// --pressure-at or of the case.
results::Results resultsOf(fields::RunFiles& run, const PostprocessOptions& options,
                           const quantity::Request& request);

// The report of preprocess, if it is found, and warnings that need it.
void addGeometryReport(results::Results& results, const fields::RunFiles& run,
                       const PostprocessOptions& options);

exports::FileMetadata metadataOf(const results::Results& results);

// The wall and the caps of the openings, where there are any.
void writeSurfaces(const results::Results& results, const tiler::TiledGeometry& geometry,
                   const std::filesystem::path& wall, const std::filesystem::path& openings);

}  // namespace tessera::postprocess
