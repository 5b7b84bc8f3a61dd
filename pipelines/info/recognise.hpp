// SPDX-License-Identifier: GPL-3.0-or-later
// Recognition of foreign files of a run (surfaces, images, cases, monitors, reports, result
// folders) by extension and first bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "pipelines/info/inspect.hpp"
#include "pipelines/stage/io/file_formats.hpp"

namespace tessera::info {

// Input formats of preprocess, then Tessera's own.
std::vector<stage::FileFormat> allFormats();

// Inspection without sections and provenance: kind, format and, as meta, content and next step.
// nullopt: unknown, or a Tessera container. Throws StageError(BadInput) if the file contradicts its
// extension, and as CaseFile::load for a case.
std::optional<Inspection> recognise(const std::filesystem::path& path);

}  // namespace tessera::info
