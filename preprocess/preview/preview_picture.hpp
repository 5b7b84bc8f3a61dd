// SPDX-License-Identifier: GPL-3.0-or-later
// Picture of a geometry before a run: its surface with numbered openings and candidates, throats
// and sheets, and their list.
#pragma once

#include "pipelines/picture/image.hpp"
#include "preprocess/preview/preview.hpp"

namespace tessera::preprocess::preview {

picture::Image drawPreview(const Preview& preview);

}  // namespace tessera::preprocess::preview
