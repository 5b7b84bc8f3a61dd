// SPDX-License-Identifier: GPL-3.0-or-later
// The validation cases, one file each.
#pragma once

#include <span>
#include <string>

#include "tests/validation/findings.hpp"

namespace tessera::validation {

struct Options {
  bool quick = false;  // coarse and short enough for the normal tests
  std::string backend = "auto";
};

Findings planeChannel(const Options& options);
Findings squareDuct(const Options& options);
Findings staircasePipe(const Options& options);
Findings taylorGreen(const Options& options);
Findings nonNewtonian(const Options& options);
Findings conservation(const Options& options);
Findings mirrorSymmetry(const Options& options);
Findings suddenExpansion(const Options& options);
Findings symmetryBreaking(const Options& options);
Findings cavity(const Options& options);
Findings curvedWalls(const Options& options);
Findings womersley(const Options& options);
Findings cylinder(const Options& options);
Findings windkessel(const Options& options);
Findings sphereArray(const Options& options);
Findings orifice(const Options& options);

struct Case {
  const char* name;  // as --only takes it
  const char* title;
  const char* claim;  // what is compared with what
  Findings (*run)(const Options&);
};

std::span<const Case> cases();

}  // namespace tessera::validation
