// SPDX-License-Identifier: GPL-3.0-or-later
// The plain reference of the cumulant collision (Geier, Schoenherr, Pasquali & Krafczyk 2015): all
// 27 moments to all 27 cumulants and back by the recursion between the two, on whole populations.
#pragma once

#include <array>
#include <vector>

namespace tessera::testing {

// f: populations of one node; omega: rate of the shear stress, all others are 1.
void collideCumulants(std::vector<double>& f, const std::vector<std::array<int, 3>>& velocities,
                      const std::array<double, 3>& force, double omega);

}  // namespace tessera::testing
