// SPDX-License-Identifier: GPL-3.0-or-later
// An inspection as text or JSON.
#pragma once

#include <span>
#include <string>

#include "pipelines/info/inspect.hpp"

namespace tessera::info {

std::string describeForPerson(const Inspection& file, bool withSections);
// One object for one file, a list for several.
std::string describeAsJson(std::span<const Inspection> files);

// All formats, one a line: extension ("-": a folder), kind, name; or as a list of objects.
std::string formatsForPerson();
std::string formatsAsJson();

}  // namespace tessera::info
