// SPDX-License-Identifier: GPL-3.0-or-later
// A plane channel that widens at once, for the lattice and, as an independent reference, by finite
// differences.
#pragma once

#include <vector>

namespace tessera::validation {

// Lengths in parts of the wide channel's height, which is 1; its lower wall is y = 0.
struct ExpansionChannel {
  double length = 5.0;
  double step = 1.0;             // where it widens
  double low = 0.5, high = 1.0;  // the narrow channel
  double reynolds = 100.0;       // of the narrow channel's height and its largest velocity
  [[nodiscard]] double narrow() const { return high - low; }
  [[nodiscard]] bool fluid(double x, double y) const { return x > step || (y > low && y < high); }
  // Inflow, relative to the largest velocity.
  [[nodiscard]] double inlet(double y) const {
    return y <= low || y >= high ? 0.0 : 4.0 * (y - low) * (high - y) / (narrow() * narrow());
  }
};

// Velocity along the channel over the inlet's largest, at heights (j + 1/2) / n of a station.
using StationProfile = std::vector<double>;

// Steady flow by central differences on a staggered grid of n cells a unit (Harlow & Welch 1965),
// marched with artificial compressibility (Chorin 1967). Second order.
std::vector<StationProfile> differenceProfiles(const ExpansionChannel& channel, int n,
                                               const std::vector<double>& stations);

}  // namespace tessera::validation
