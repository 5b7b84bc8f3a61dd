// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of an interactive view as JSON for its scripts, and JSON within a page.
#pragma once

#include <string>
#include <vector>

#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/view_parts.hpp"
#include "pipelines/stage/io/json.hpp"

namespace tessera::picture {

// For a script element: "<" as an escape, so that no text of a file ends the element.
std::string scriptJson(const stage::Json& json);

// Little-endian base64 of an array.
template <class T>
std::string arrayText(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

stage::Json labelJson(const ViewLabel& label);
stage::Json marksJson(const std::vector<ViewMark>& marks);
stage::Json latticeJson(const ViewLattice& lattice);

}  // namespace tessera::picture
