// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/accuracy/axisymmetric_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tessera::accuracy {
namespace {

constexpr int nodes = 9;  // of an element, 3 x 3
// Gauss's four points and weights on [-1, 1].
constexpr std::array gaussPoint{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                0.8611363115940526};
constexpr std::array gaussWeight{0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                 0.3478548451374538};

// Banded matrix, solved by Gauss's elimination with pivots in the column: a row holds width columns
// before the diagonal and twice as many behind it.
class BandMatrix {
 public:
  BandMatrix(int size, int width)
      : size_(size), width_(width), values_(std::size_t(size) * (3 * width + 1)) {}

  double& at(int row, int column) {
    return values_[std::size_t(row) * (3 * width_ + 1) + (column - row + width_)];
  }

  void setUnitRow(int row) {
    for (int k = -width_; k <= 2 * width_; ++k) at(row, row + k) = 0.0;
    at(row, row) = 1.0;
  }

  // right becomes the solution; the matrix is used up.
  void solve(std::vector<double>& right) {
    for (int k = 0; k < size_; ++k) eliminate(k, right);
    for (int k = size_ - 1; k >= 0; --k) {
      for (int c = k + 1; c <= std::min(size_ - 1, k + 2 * width_); ++c)
        right[k] -= at(k, c) * right[c];
      right[k] /= at(k, k);
    }
  }

 private:
  void eliminate(int k, std::vector<double>& right) {
    const int lowest = std::min(size_ - 1, k + width_);
    const int last = std::min(size_ - 1, k + 2 * width_);
    int pivot = k;
    for (int row = k + 1; row <= lowest; ++row)
      if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
    if (pivot != k) {
      std::swap_ranges(&at(k, k), &at(k, last) + 1, &at(pivot, k));
      std::swap(right[k], right[pivot]);
    }
    for (int row = k + 1; row <= lowest; ++row) {
      const double factor = at(row, k) / at(k, k);
      if (factor == 0.0) continue;
      double* to = &at(row, k);
      const double* from = &at(k, k);
      for (int c = 0; c <= last - k; ++c) to[c] -= factor * from[c];
      right[row] -= factor * right[k];
    }
  }

  int size_, width_;
  std::vector<double> values_;
};

// Quadratic functions of a node at -1, 0 and 1, and their derivatives.
struct Quadratic {
  explicit Quadratic(double s)
      : value{s * (s - 1.0) / 2.0, 1.0 - s * s, s * (s + 1.0) / 2.0},
        slope{s - 0.5, -2.0 * s, s + 0.5} {}
  std::array<double, 3> value, slope;
};

// Unknowns of a node: axial and radial velocity, pressure at the corners of elements (else -1).
struct Unknowns {
  int axial = -1, radial = -1, pressure = -1;
};

// Velocities, their derivatives and the pressure at a point, and the functions of the element's
// nodes.
struct Point {
  double radius = 0.0, weight = 0.0;
  std::array<double, nodes> value{}, alongAxis{}, alongRadius{}, pressure{};
};

struct Flow {
  double u = 0.0, v = 0.0, ux = 0.0, ur = 0.0, vx = 0.0, vr = 0.0, p = 0.0;
};

class Elements {
 public:
  Elements(const RoundVessel& vessel, int columns, int rows)
      : vessel_(vessel), columns_(columns), rows_(rows) {
    for (int j = 0; j <= rows; ++j) {
      const double s = double(j) / rows;
      edge_.push_back(j == rows ? 1.0 : 0.6 * std::sin(std::numbers::pi / 2.0 * s) + 0.4 * s);
    }
    for (int i = 0; i <= 2 * columns; ++i)
      for (int j = 0; j <= 2 * rows; ++j) {
        Unknowns of{count_, count_ + 1, -1};
        count_ += 2;
        if (i % 2 == 0 && j % 2 == 0) of.pressure = count_++;
        unknowns_.push_back(of);
      }
    start();
  }

  // One step of Newton's method; the largest change of an unknown.
  double improve() {
    BandMatrix matrix(count_, bandwidth());
    std::vector<double> residual(count_, 0.0);
    for (int i = 0; i < columns_; ++i)
      for (int j = 0; j < rows_; ++j)
        for (std::size_t a = 0; a < 4; ++a)
          for (std::size_t b = 0; b < 4; ++b) {
            Point point = pointOf(i, j, gaussPoint[a], gaussPoint[b]);
            point.weight *= gaussWeight[a] * gaussWeight[b];
            addPoint(point, ofElement(i, j), matrix, residual);
          }
    for (int k = 0; k < count_; ++k)
      if (fixed_[k]) {
        matrix.setUnitRow(k);
        residual[k] = 0.0;
      }
    matrix.solve(residual);
    double change = 0.0;
    for (int k = 0; k < count_; ++k) {
      state_[k] -= residual[k];
      change = std::max(change, std::abs(residual[k]));
    }
    return change;
  }

  // Mean over the area of a section, 0 or columns.
  [[nodiscard]] double meanPressure(int section) const {
    double sum = 0.0;
    for (int j = 0; j < rows_; ++j) {
      const double inner = state_[at(2 * section, 2 * j).pressure];
      const double outer = state_[at(2 * section, 2 * j + 2).pressure];
      sum += (edge_[j + 1] - edge_[j]) *
             (inner * (2.0 * edge_[j] + edge_[j + 1]) + outer * (edge_[j] + 2.0 * edge_[j + 1])) /
             3.0;
    }
    return sum;
  }

  // Shear and area of twenty pieces of the wall an element: at a wall at rest the shear is that of
  // the vorticity.
  [[nodiscard]] std::vector<std::pair<double, double>> wallShear() const {
    std::vector<std::pair<double, double>> pieces;
    for (int i = 0; i < columns_; ++i)
      for (int k = 0; k < 20; ++k) {
        const double s = -1.0 + (k + 0.5) / 10.0;
        const Point point = pointOf(i, rows_ - 1, s, 1.0);
        const Flow flow = flowAt(point, ofElement(i, rows_ - 1));
        const double slope = vessel_.slope(axisAt(i, s));
        pieces.emplace_back(std::abs(flow.vx - flow.ur),
                            point.radius * std::sqrt(1.0 + slope * slope));
      }
    return pieces;
  }

 private:
  [[nodiscard]] const Unknowns& at(int i, int j) const {
    return unknowns_[std::size_t(i) * (2 * rows_ + 1) + j];
  }
  [[nodiscard]] double step() const { return vessel_.length / columns_; }
  [[nodiscard]] double axisAt(int i, double s) const { return step() * (i + 0.5 + 0.5 * s); }
  [[nodiscard]] int bandwidth() const {
    return std::max(at(2, 2).pressure, at(2, 2).radial) - at(0, 0).axial;
  }

  [[nodiscard]] std::array<Unknowns, nodes> ofElement(int i, int j) const {
    std::array<Unknowns, nodes> found;
    for (int k = 0; k < nodes; ++k) found[k] = at(2 * i + k / 3, 2 * j + k % 3);
    return found;
  }

  // Poiseuille's profile of the flow rate in every section; fixed at the inlet, the wall and across
  // the axis.
  void start() {
    state_.assign(count_, 0.0);
    fixed_.assign(count_, false);
    for (int i = 0; i <= 2 * columns_; ++i)
      for (int j = 0; j <= 2 * rows_; ++j) {
        const double eta = j % 2 == 0 ? edge_[j / 2] : (edge_[j / 2] + edge_[j / 2 + 1]) / 2.0;
        const double x = step() * i / 2.0, radius = vessel_.radius(x);
        const Unknowns& of = at(i, j);
        state_[of.axial] = 2.0 * (1.0 - eta * eta) / (radius * radius);
        state_[of.radial] = i == 0 ? 0.0 : state_[of.axial] * eta * vessel_.slope(x);
        fixed_[of.axial] = i == 0 || j == 2 * rows_;
        fixed_[of.radial] = fixed_[of.axial] || j == 0;
      }
  }

  // The element (i, j) at (s, t) of [-1, 1]^2: x along the axis, r = eta R(x); weight of an
  // integral over r dr dx.
  [[nodiscard]] Point pointOf(int i, int j, double s, double t) const {
    const Quadratic along(s), across(t);
    const double halfX = step() / 2.0, halfEta = (edge_[j + 1] - edge_[j]) / 2.0;
    const double x = axisAt(i, s), eta = edge_[j] + halfEta * (1.0 + t);
    const double wall = vessel_.radius(x), slope = vessel_.slope(x);
    Point point;
    point.radius = eta * wall;
    point.weight = halfX * halfEta * wall * point.radius;
    for (int k = 0; k < nodes; ++k) {
      const int a = k / 3, b = k % 3;
      point.value[k] = along.value[a] * across.value[b];
      point.alongRadius[k] = along.value[a] * across.slope[b] / (halfEta * wall);
      point.alongAxis[k] =
          along.slope[a] * across.value[b] / halfX - eta * slope * point.alongRadius[k];
      if (a != 1 && b != 1) point.pressure[k] = (1.0 + (a - 1) * s) * (1.0 + (b - 1) * t) / 4.0;
    }
    return point;
  }

  [[nodiscard]] Flow flowAt(const Point& point, const std::array<Unknowns, nodes>& of) const {
    Flow flow;
    for (int k = 0; k < nodes; ++k) {
      const double axial = state_[of[k].axial], radial = state_[of[k].radial];
      flow.u += point.value[k] * axial;
      flow.v += point.value[k] * radial;
      flow.ux += point.alongAxis[k] * axial;
      flow.ur += point.alongRadius[k] * axial;
      flow.vx += point.alongAxis[k] * radial;
      flow.vr += point.alongRadius[k] * radial;
      if (of[k].pressure >= 0) flow.p += point.pressure[k] * state_[of[k].pressure];
    }
    return flow;
  }

  // Residual of momentum and continuity, and its derivatives. Divergence of a radial function n:
  // dn/dr + n / r.
  void addPoint(const Point& point, const std::array<Unknowns, nodes>& of, BandMatrix& matrix,
                std::vector<double>& residual) const {
    const Flow f = flowAt(point, of);
    const double r = point.radius, w = point.weight, viscosity = 1.0 / vessel_.reynolds;
    for (int k = 0; k < nodes; ++k) {
      const double n = point.value[k], nx = point.alongAxis[k], nr = point.alongRadius[k];
      residual[of[k].axial] +=
          w * (n * (f.u * f.ux + f.v * f.ur) + viscosity * (nx * f.ux + nr * f.ur) - f.p * nx);
      residual[of[k].radial] +=
          w * (n * (f.u * f.vx + f.v * f.vr) +
               viscosity * (nx * f.vx + nr * f.vr + n * f.v / (r * r)) - f.p * (nr + n / r));
      if (of[k].pressure >= 0)
        residual[of[k].pressure] += w * point.pressure[k] * (f.ux + f.vr + f.v / r);
      for (int l = 0; l < nodes; ++l) addPair(point, of, f, k, l, matrix);
    }
  }

  // Derivatives of the equations of node k by the unknowns of node l.
  void addPair(const Point& point, const std::array<Unknowns, nodes>& of, const Flow& f, int k,
               int l, BandMatrix& matrix) const {
    const double r = point.radius, w = point.weight, viscosity = 1.0 / vessel_.reynolds;
    const double n = point.value[k], nx = point.alongAxis[k], nr = point.alongRadius[k];
    const double m = point.value[l], mx = point.alongAxis[l], mr = point.alongRadius[l];
    const double same = w * (n * (f.u * mx + f.v * mr) + viscosity * (nx * mx + nr * mr));
    matrix.at(of[k].axial, of[l].axial) += same + w * n * m * f.ux;
    matrix.at(of[k].axial, of[l].radial) += w * n * m * f.ur;
    matrix.at(of[k].radial, of[l].axial) += w * n * m * f.vx;
    matrix.at(of[k].radial, of[l].radial) += same + w * n * m * (f.vr + viscosity / (r * r));
    if (of[l].pressure >= 0) {
      matrix.at(of[k].axial, of[l].pressure) -= w * point.pressure[l] * nx;
      matrix.at(of[k].radial, of[l].pressure) -= w * point.pressure[l] * (nr + n / r);
    }
    if (of[k].pressure >= 0) {
      matrix.at(of[k].pressure, of[l].axial) += w * point.pressure[k] * mx;
      matrix.at(of[k].pressure, of[l].radial) += w * point.pressure[k] * (mr + m / r);
    }
  }

  const RoundVessel& vessel_;
  int columns_, rows_, count_ = 0;
  std::vector<double> edge_;  // of the elements, across, in radii of the section
  std::vector<Unknowns> unknowns_;
  std::vector<double> state_;
  std::vector<bool> fixed_;
};

}  // namespace

RoundVesselFlow solveRoundVessel(const RoundVessel& vessel, int columns, int rows) {
  Elements elements(vessel, columns, rows);
  for (int step = 0; elements.improve() > 1e-9; ++step)
    if (step == 20) throw std::runtime_error("Newton's method does not converge");
  RoundVesselFlow flow;
  flow.pressureDrop = elements.meanPressure(0) - elements.meanPressure(columns);
  std::vector<std::pair<double, double>> pieces = elements.wallShear();
  std::sort(pieces.begin(), pieces.end());
  double area = 0.0, below = 0.0;
  for (const auto& [shear, piece] : pieces) {
    area += piece;
    flow.shearMean += shear * piece;
  }
  flow.shearMean /= area;
  for (const auto& [shear, piece] : pieces) {
    below += piece;
    flow.shear95 = shear;
    if (below >= 0.95 * area) break;
  }
  return flow;
}

}  // namespace tessera::accuracy
