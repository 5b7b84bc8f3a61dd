// SPDX-License-Identifier: GPL-3.0-or-later
// Machine and time of a run, for reports that say so; never for files whose bytes are reproducible.
#pragma once

#include <string>

namespace tessera::stage {

// Model of the processor ("AMD EPYC 7543 32-Core Processor"); its architecture where the system
// does not say.
std::string processorName();

// Now in UTC, to the minute: "2026-03-01 12:00".
std::string utcMinute();

}  // namespace tessera::stage
