// SPDX-License-Identifier: GPL-3.0-or-later
// An inspection as text for a person, or as JSON for a script.
#pragma once

#include <span>
#include <string>

#include "pipelines/info/inspect.hpp"

namespace tessera {

std::string describeForPerson(const Inspection& file, bool withSections);
// One object for one file, a list for several.
std::string describeAsJson(std::span<const Inspection> files);

}  // namespace tessera
