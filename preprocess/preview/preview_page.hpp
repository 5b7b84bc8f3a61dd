// SPDX-License-Identifier: GPL-3.0-or-later
// Page of a geometry before a run: the interactive view with numbered openings and candidates,
// their tables, and a form that writes a case file. Self-contained: nothing is fetched.
#pragma once

#include <string>

#include "preprocess/preview/case_geometry.hpp"
#include "preprocess/preview/preview.hpp"

namespace tessera::preprocess::preview {

std::string previewPage(const Preview& preview, const CaseGeometry& geometry);

}  // namespace tessera::preprocess::preview
