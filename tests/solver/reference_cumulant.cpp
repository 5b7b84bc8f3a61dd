// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/reference_cumulant.hpp"

namespace tessera::testing {

namespace {

using Order = std::array<int, 3>;

// A value for each order 0, 1, 2 along each axis.
struct Table {
  std::array<double, 27> values{};
  double& operator[](const Order& n) { return values[place(n)]; }
  double at(const Order& n) const { return values[place(n)]; }
  static std::size_t place(const Order& n) {
    return static_cast<std::size_t>(n[0] + 3 * n[1] + 9 * n[2]);
  }
};

int total(const Order& n) {
  return n[0] + n[1] + n[2];
}

// All orders, those of less in total first.
const std::vector<Order>& orders() {
  static const std::vector<Order> all = [] {
    std::vector<Order> list;
    for (int sum = 0; sum <= 6; ++sum)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (int c = 0; c < 3; ++c)
            if (a + b + c == sum) list.push_back({a, b, c});
    return list;
  }();
  return all;
}

int power(int c, int n) {
  return n == 0 ? 1 : n == 1 ? c : c * c;
}

double choose(int n, int k) {
  return n == 2 && k == 1 ? 2.0 : 1.0;
}

// The moment n less its own cumulant, from those of lower order: with e along the first axis of n,
//   m(n) = sum over k <= n - e of choose(n - e, k) c(k + e) m(n - e - k).
double ofLowerOrder(const Order& n, const Table& moments, const Table& cumulants) {
  Order rest = n;
  std::size_t axis = 0;
  while (n[axis] == 0) ++axis;
  --rest[axis];
  double sum = 0.0;
  for (const Order& k : orders()) {
    if (k == rest || k[0] > rest[0] || k[1] > rest[1] || k[2] > rest[2]) continue;
    Order raised = k;
    ++raised[axis];
    sum += choose(rest[0], k[0]) * choose(rest[1], k[1]) * choose(rest[2], k[2]) *
           cumulants.at(raised) * moments.at({rest[0] - k[0], rest[1] - k[1], rest[2] - k[2]});
  }
  return sum;
}

Table cumulantsOf(const Table& moments) {
  Table cumulants;
  for (const Order& n : orders())
    if (total(n) > 0) cumulants[n] = moments.at(n) - ofLowerOrder(n, moments, cumulants);
  return cumulants;
}

Table momentsOf(const Table& cumulants) {
  Table moments;
  moments[{0, 0, 0}] = 1.0;
  for (const Order& n : orders())
    if (total(n) > 0) moments[n] = cumulants.at(n) + ofLowerOrder(n, moments, cumulants);
  return moments;
}

// Eqs. 58-65 of the paper with its second rate 1, for cumulants per mass.
void relaxStress(Table& c, const std::array<double, 3>& u, double omega) {
  const double xx = c[{2, 0, 0}];
  const double yy = c[{0, 2, 0}];
  const double zz = c[{0, 0, 2}];
  const double dx = -0.5 * omega * (2.0 * xx - yy - zz) - 0.5 * (xx + yy + zz - 1.0);
  const double dy = dx + 1.5 * omega * (xx - yy);
  const double dz = dx + 1.5 * omega * (xx - zz);
  const double ux = u[0] * u[0] * dx;
  const double vy = u[1] * u[1] * dy;
  const double wz = u[2] * u[2] * dz;
  const double first = (1.0 - omega) * (xx - yy) - 3.0 * (1.0 - 0.5 * omega) * (ux - vy);
  const double second = (1.0 - omega) * (xx - zz) - 3.0 * (1.0 - 0.5 * omega) * (ux - wz);
  const double trace = 1.0 - 1.5 * (ux + vy + wz);
  c[{2, 0, 0}] = (first + second + trace) / 3.0;
  c[{0, 2, 0}] = (-2.0 * first + second + trace) / 3.0;
  c[{0, 0, 2}] = (first - 2.0 * second + trace) / 3.0;
  for (const Order& n : {Order{1, 1, 0}, Order{1, 0, 1}, Order{0, 1, 1}}) c[n] *= 1.0 - omega;
}

// Population of a direction from the moments: along each axis 1 - m2, (m2 + m1) / 2, (m2 - m1) / 2.
double populationOf(const std::array<int, 3>& direction, const Table& moments) {
  double sum = 0.0;
  for (const Order& n : orders()) {
    double factor = 1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::array<double, 3> shares =
          direction[a] == 0 ? std::array<double, 3>{1.0, 0.0, -1.0}
                            : std::array<double, 3>{0.0, 0.5 * direction[a], 0.5};
      factor *= shares[static_cast<std::size_t>(n[a])];
    }
    sum += factor * moments.at(n);
  }
  return sum;
}

}  // namespace

void collideCumulants(std::vector<double>& f, const std::vector<std::array<int, 3>>& velocities,
                      const std::array<double, 3>& force, double omega) {
  double rho = 0.0;
  for (double population : f) rho += population;
  Table moments;
  for (const Order& n : orders()) {
    double sum = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i)
      sum += f[i] * power(velocities[i][0], n[0]) * power(velocities[i][1], n[1]) *
             power(velocities[i][2], n[2]);
    moments[n] = sum / rho;
  }
  Table cumulants = cumulantsOf(moments);
  std::array<double, 3> u{};
  const std::array<Order, 3> first{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (std::size_t a = 0; a < 3; ++a) {
    u[a] = cumulants[first[a]] + 0.5 * force[a] / rho;
    cumulants[first[a]] += force[a] / rho;
  }
  relaxStress(cumulants, u, omega);
  for (const Order& n : orders())
    if (total(n) > 2) cumulants[n] = 0.0;
  moments = momentsOf(cumulants);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = rho * populationOf(velocities[i], moments);
}

}  // namespace tessera::testing
