// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/validation/expansion_channel.hpp"

namespace tessera::validation {

namespace {

// p in the middle of cells, u on faces across x, v on faces across y; the largest velocity and the
// height are 1. A cell outside of the box is a wall but beyond the outlet.
class StaggeredGrid {
 public:
  StaggeredGrid(const ExpansionChannel& channel, int n)
      : nx_(static_cast<int>(std::lround(channel.length * n))),
        ny_(n),
        h_(1.0 / n),
        nu_(channel.narrow() / channel.reynolds),
        dt_(0.35 * h_ / (1.0 + std::sqrt(1.0 + sound2_))),
        fluid_(at(nx_, ny_), 0),
        p_(at(nx_ + 1, ny_), 0.0),
        u_(at(nx_ + 1, ny_), 0.0),
        v_(at(nx_, ny_ + 1), 0.0) {
    dt_ = std::min(dt_, 0.2 * h_ * h_ / nu_);
    for (int j = 0; j < ny_; ++j) {
      for (int i = 0; i < nx_; ++i)
        fluid_[cell(i, j)] = channel.fluid((i + 0.5) * h_, (j + 0.5) * h_);
      u(0, j) = channel.inlet((j + 0.5) * h_);
    }
    nextU_ = u_;
    nextV_ = v_;
  }

  // Largest change of a velocity in a unit of time.
  double step() {
    double change = 0.0;
    for (int j = 0; j < ny_; ++j)
      for (int i = 1; i <= nx_; ++i) change = std::max(change, std::abs(stepU(i, j)));
    for (int j = 1; j < ny_; ++j)
      for (int i = 0; i < nx_; ++i) change = std::max(change, std::abs(stepV(i, j)));
    u_.swap(nextU_);
    v_.swap(nextV_);
    for (int j = 0; j < ny_; ++j)
      for (int i = 0; i < nx_; ++i)
        if (fluid_[cell(i, j)])
          p_[cell(i, j)] -= dt_ * sound2_ * (u(i + 1, j) - u(i, j) + v(i, j + 1) - v(i, j)) / h_;
    return change;
  }

  [[nodiscard]] StationProfile profile(double x) const {
    const double place = x / h_;
    const int i = std::min(static_cast<int>(place), nx_ - 1);
    StationProfile out;
    for (int j = 0; j < ny_; ++j) out.push_back(u(i, j) + (place - i) * (u(i + 1, j) - u(i, j)));
    return out;
  }
  [[nodiscard]] double timeStep() const { return dt_; }

 private:
  static constexpr double sound2_ = 2.0;

  static std::size_t at(int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(j);
  }
  [[nodiscard]] std::size_t cell(int i, int j) const {
    return static_cast<std::size_t>(j * nx_ + i);
  }
  [[nodiscard]] std::size_t faceU(int i, int j) const {
    return static_cast<std::size_t>(j * (nx_ + 1) + i);
  }
  double& u(int i, int j) { return u_[faceU(i, j)]; }
  [[nodiscard]] double u(int i, int j) const { return u_[faceU(i, j)]; }
  [[nodiscard]] double v(int i, int j) const { return v_[cell(i, j)]; }
  [[nodiscard]] bool wet(int i, int j) const {
    return i >= 0 && j >= 0 && j < ny_ && (i >= nx_ || fluid_[cell(i, j)]);
  }
  [[nodiscard]] double pressure(int i, int j) const {
    return i >= nx_ ? -p_[cell(nx_ - 1, j)] : p_[cell(i, j)];
  }

  // u on a face, mirrored at the walls above and below, unchanging beyond the outlet.
  [[nodiscard]] double uAround(int i, int j, int own) const {
    const int k = std::min(i, nx_);
    const bool open = j >= 0 && j < ny_ && (wet(k - 1, j) || wet(k, j));
    return open ? u(k, j) : -u(std::min(i, nx_), own);
  }
  [[nodiscard]] double vAround(int i, int j, int own) const {
    if (i < 0) return -v(own, j);
    if (i >= nx_) return v(own, j);
    return wet(i, j - 1) || wet(i, j) ? v(i, j) : -v(own, j);
  }

  // In conservative form; returns the change a unit of time.
  double stepU(int i, int j) {
    if (!wet(i - 1, j) || !wet(i, j)) return 0.0;
    const double here = u(i, j);
    const double east = uAround(i + 1, j, j), west = u(i - 1, j);
    const double north = uAround(i, j + 1, j), south = uAround(i, j - 1, j);
    const auto across = [&](int row) {  // v at the corner below cell row `row`
      const double left = v(i - 1, row);
      return i < nx_ ? 0.5 * (left + v(i, row)) : left;
    };
    const double convection =
        (0.25 * ((east + here) * (east + here) - (here + west) * (here + west)) +
         0.5 * (across(j + 1) * (north + here) - across(j) * (here + south))) /
        h_;
    const double diffusion = nu_ * (east + west + north + south - 4.0 * here) / (h_ * h_);
    const double change = diffusion - convection - (pressure(i, j) - pressure(i - 1, j)) / h_;
    nextU_[faceU(i, j)] = here + dt_ * change;
    return change;
  }

  double stepV(int i, int j) {
    if (!wet(i, j - 1) || !wet(i, j)) return 0.0;
    const double here = v(i, j);
    const double east = vAround(i + 1, j, i), west = vAround(i - 1, j, i);
    const double north = v(i, j + 1), south = v(i, j - 1);
    const auto along = [&](int column) { return 0.5 * (u(column, j - 1) + u(column, j)); };
    const double convection =
        (0.25 * ((north + here) * (north + here) - (here + south) * (here + south)) +
         0.5 * (along(i + 1) * (east + here) - along(i) * (here + west))) /
        h_;
    const double diffusion = nu_ * (east + west + north + south - 4.0 * here) / (h_ * h_);
    const double change = diffusion - convection - (pressure(i, j) - pressure(i, j - 1)) / h_;
    nextV_[cell(i, j)] = here + dt_ * change;
    return change;
  }

  int nx_, ny_;
  double h_, nu_, dt_;
  std::vector<char> fluid_;
  std::vector<double> p_, u_, v_, nextU_, nextV_;
};

}  // namespace

std::vector<StationProfile> differenceProfiles(const ExpansionChannel& channel, int n,
                                               const std::vector<double>& stations) {
  StaggeredGrid grid(channel, n);
  const double longest = 400.0;  // units of time; the flow crosses the channel in some 15
  for (double time = 0.0; time < longest; time += grid.timeStep())
    if (grid.step() < 1e-6) break;
  std::vector<StationProfile> out;
  for (const double x : stations) out.push_back(grid.profile(x));
  return out;
}

}  // namespace tessera::validation
