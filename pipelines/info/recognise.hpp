// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are found alongside Tessera's own: surfaces, images, cases, monitors, reports, folders
// of results. Recognised by their extension and their first bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "pipelines/info/inspect.hpp"
#include "pipelines/stage/io/file_formats.hpp"

namespace tessera::info {

// Those that preprocess reads, then ours.
std::vector<stage::FileFormat> allFormats();

// As an Inspection without sections and provenance: kind, format and, as meta, the content and the
// next step. nullopt: nothing known, or a container of ours. Throws StageError(BadInput) when the
// file is not of the format that its extension stands for, and as CaseFile::load for a case.
std::optional<Inspection> recognise(const std::filesystem::path& path);

}  // namespace tessera::info
