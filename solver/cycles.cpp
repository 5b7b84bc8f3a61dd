// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/cycles.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

std::uint64_t stepOfPoint(std::uint64_t k, std::uint64_t n, std::uint64_t steps) {
  return (2 * k * steps + n) / (2 * n);
}

// Largest |a - b| of columns first, first + 2, ... over the largest distance of b's values there
// from `base`; 0 when nothing differs.
double changeOf(const std::vector<double>& a, const std::vector<double>& b, std::size_t first,
                std::size_t stride, bool fromZero) {
  double most = 0.0;
  double low = fromZero ? 0.0 : b[first];
  double high = low;
  for (std::size_t v = first; v < b.size(); v += stride) {
    most = std::max(most, std::abs(a[v] - b[v]));
    low = std::min(low, b[v]);
    high = std::max(high, b[v]);
  }
  if (most == 0.0) return 0.0;
  const double scale = fromZero ? std::max(-low, high) : high - low;
  return scale > 0.0 ? most / scale : 1.0;
}

}  // namespace

std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, std::uint64_t steps) {
  if (p == 0) return 0;
  const std::uint64_t in = (p - 1) % steps + 1;  // 1 ... steps
  const std::uint64_t guess = in * n / steps;
  for (std::uint64_t k = guess > 0 ? guess - 1 : 0; k <= guess + 1; ++k)
    if (k >= 1 && k <= n && stepOfPoint(k, n, steps) == in) return k;
  return 0;
}

std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, std::uint64_t steps) {
  const std::uint64_t start = p / steps * steps;
  const std::uint64_t in = p - start;
  for (std::uint64_t k = in * n / steps > 0 ? in * n / steps - 1 : 0;; ++k)
    if (k >= 1 && stepOfPoint(k, n, steps) > in) return start + stepOfPoint(k, n, steps);
}

Cycles::Cycles(const CyclePlan& plan, std::size_t openings)
    : plan_(plan),
      width_(openings > 0 ? 2 * openings : 1),
      recorded_(plan.cycles > 0 ? plan.cycles - 1 : 0) {}

void Cycles::addPhase(const MonitorSample& sample) {
  if (sample.flowRate.empty()) now_.push_back(sample.nodes.kineticEnergy);
  for (std::size_t o = 0; o < sample.flowRate.size(); ++o)
    now_.insert(now_.end(), {sample.flowRate[o], sample.pressure[o]});
}

void Cycles::close() {
  if (before_.size() == now_.size() && !now_.empty()) {
    change_ = changeOf(before_, now_, 0, width_ > 1 ? 2 : 1, true);
    if (width_ > 1) change_ = std::max(change_, changeOf(before_, now_, 1, 2, false));
  }
  before_ = std::move(now_);
  now_.clear();
  const bool wasRecorded = recording();
  ++cycle_;
  if (!wasRecorded && converged()) recorded_ = cycle_;
}

std::vector<double> Cycles::state() const {
  std::vector<double> out{static_cast<double>(cycle_), static_cast<double>(recorded_), change_,
                          static_cast<double>(before_.size())};
  out.insert(out.end(), before_.begin(), before_.end());
  out.insert(out.end(), now_.begin(), now_.end());
  return out;
}

bool Cycles::restore(std::span<const double> state) {
  if (state.size() < 4) return false;
  const auto whole = static_cast<std::size_t>(state[3]);
  if (state.size() < 4 + whole || (whole != 0 && whole != plan_.phases * width_)) return false;
  if ((state.size() - 4 - whole) % width_ != 0) return false;
  cycle_ = static_cast<std::uint64_t>(state[0]);
  change_ = state[2];
  // More or fewer cycles may be asked for than before; one that is being recorded goes on, and what
  // is done stays so unless what it stopped at asks for more.
  const auto recorded = static_cast<std::uint64_t>(state[1]);
  const bool stays = recorded == cycle_ || (recorded + 1 == cycle_ && converged());
  recorded_ = stays ? recorded : std::max(recorded_, cycle_ + 1);
  const auto split = state.begin() + 4 + static_cast<std::ptrdiff_t>(whole);
  before_.assign(state.begin() + 4, split);
  now_.assign(split, state.end());
  return true;
}

}  // namespace tessera
