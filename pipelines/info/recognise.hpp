// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside Tessera's own files in a user's folder: surfaces, images, cases, monitors,
// reports, folders of results. Known by their ending and their first bytes.
#pragma once

#include <filesystem>
#include <optional>

#include "pipelines/info/inspect.hpp"

namespace tessera {

// As an Inspection without sections and provenance: kind, format and, as meta, what is in it and
// what to do with it next. nullopt: nothing that is known. Throws StageError(BadInput) when the
// file is not what its ending says, and as CaseFile::load for a case.
std::optional<Inspection> recognise(const std::filesystem::path& path);

}  // namespace tessera
