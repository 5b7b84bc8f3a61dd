// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/condition.hpp"

#include <algorithm>

namespace tessera::solver::boundary {

bool anyCoupled(const std::vector<Condition>& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), isCoupled);
}

PressureCourse pressureCourse(const std::vector<Condition>& conditions) {
  if (anyCoupled(conditions)) return PressureCourse::Coupled;
  const bool varies = std::any_of(conditions.begin(), conditions.end(), [](const Condition& c) {
    return prescribesPressure(c) && prescriptionOf(c).series != nullptr;
  });
  return varies ? PressureCourse::Varying : PressureCourse::Constant;
}

double meanPressure(const std::vector<Condition>& conditions, double t) {
  double sum = 0.0;
  int count = 0;
  for (const Condition& condition : conditions) {
    const Prescription given = prescriptionOf(condition);
    if (given.prescribed == Prescribed::Velocity) continue;
    sum += given.pressureAt(t);
    ++count;
  }
  return count == 0 ? 0.0 : sum / count;
}

}  // namespace tessera::solver::boundary
