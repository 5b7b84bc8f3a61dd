// SPDX-License-Identifier: GPL-3.0-or-later
// Which numbers of a pulsatile run's summary are of its last moment alone, so that they do not
// stand beside those of a steady run, or beside means over a period, as if they were the same.
#pragma once

#include <string>

namespace tessera {

// "at_end." and the name for what is of the last moment ("openings[1].flow_rate_m3_s"), the name
// itself for what is over a period ("tawss_pa.mean") or does not change ("openings[1].area_m2").
std::string nameInPulsatileRun(const std::string& name);

}  // namespace tessera
