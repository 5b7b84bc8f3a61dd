// SPDX-License-Identifier: GPL-3.0-or-later
// What comes back from walls, as the papers write it (solver/boundary/wall_links.hpp names them).
#include "solver/model/lattice/lattice.hpp"
#include "tests/solver/reference.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;

bool Reference::endsOnPlane(const Int3& node, const std::array<int, 3>& c) const {
  const auto end = wallEnds_.find({indexOf(node), directionOf(c[0], c[1], c[2])});
  return end != wallEnds_.end() && end->second.condition.kind == WallKind::Symmetry;
}

// Specular reflection: the fluid beyond the plane is the mirror image of that before it.
double Reference::fromPlane(const Int3& node, std::size_t i) const {
  const auto out = static_cast<std::size_t>(opposite(static_cast<int>(i)));
  const auto& c = lattice_.velocities[out];
  Int3 beside = node;
  std::array<int, 3> turned = c;
  bool leaves = false;
  for (std::size_t a = 0; a < 3; ++a) {
    std::array<int, 3> normal{};
    normal[a] = c[a];
    if (c[a] != 0 && endsOnPlane(node, normal)) {
      leaves = true;
      continue;
    }
    beside[a] += c[a];
    turned[a] = -c[a];
  }
  if (leaves && beside != node && fluidAt(beside) && endsOnPlane(beside, turned))
    for (std::size_t m = 0; m < q_; ++m)
      if (lattice_.velocities[m] == turned) return f_[indexOf(beside)][m];
  return f_[indexOf(node)][out];
}

double Reference::pushed(const Int3& node, std::size_t out) const {
  const auto& c = lattice_.velocities[out];
  const WallEnd& end = wallEnds_.at({indexOf(node), directionOf(c[0], c[1], c[2])});
  if (end.condition.kind != WallKind::Moving) return 0.0;
  const double q = setup_.run.walls == WallScheme::Halfway ? 0.5 : end.distance;
  Double3 at{};
  for (std::size_t a = 0; a < 3; ++a) at[a] = node[a] + q * c[a];
  const Double3 u = end.condition.velocityAt(tiles_.geometry.frame.toWorld(at));
  double cu = 0.0;  // of lattice axes, which the tests' world has too
  for (std::size_t a = 0; a < 3; ++a) cu += c[a] * u[a];
  return 6.0 * lattice_.weights[out] * cu * coefficients_[domain_.rampCoefficient] /
         setup_.lattice.scales.velocity();
}

// Ginzburg & d'Humieres 2003, MR1, where there is a node behind, and fluid or an opening behind it.
std::optional<double> Reference::multireflected(const Int3& node, std::size_t i, double q,
                                                double push) const {
  const auto out = static_cast<std::size_t>(opposite(static_cast<int>(i)));
  const auto& c = lattice_.velocities[out];
  Int3 behind{node[0] - c[0], node[1] - c[1], node[2] - c[2]};
  if (!fluidAt(behind)) return std::nullopt;
  Int3 far{behind[0] - c[0], behind[1] - c[1], behind[2] - c[2]};
  const auto opening = openingLinks_.find({indexOf(behind), static_cast<int>(i)});
  double arriving = 0.0;  // at the node behind, along the link
  if (fluidAt(far))
    arriving = f_[indexOf(far)][out];
  else if (opening != openingLinks_.end())
    arriving = throughOpening(indexOf(behind), opening->second);
  else
    return std::nullopt;
  const Populations& own = f_[indexOf(node)];
  const Populations& other = f_[indexOf(behind)];
  const double square = (1.0 + q) * (1.0 + q);
  const double near = (1.0 - 2.0 * q - 2.0 * q * q) / square;
  return own[out] + near * (other[out] - own[i]) + q * q / square * (arriving - other[i]) -
         2.0 / square * push;
}

double Reference::interpolated(const Int3& node, std::size_t i) const {
  const auto out = static_cast<std::size_t>(opposite(static_cast<int>(i)));
  const auto& c = lattice_.velocities[out];
  const std::size_t here = indexOf(node);
  const auto endOf = [&](const std::array<int, 3>& step) {
    return wallEnds_.find({here, directionOf(step[0], step[1], step[2])});
  };
  if (endOf(c)->second.condition.kind == WallKind::Symmetry) return fromPlane(node, i);
  const double q = setup_.run.walls == WallScheme::Halfway ? 0.5 : endOf(c)->second.distance;
  const double push = pushed(node, out);
  if (q >= 0.5) return (f_[here][out] + (2.0 * q - 1.0) * f_[here][i] - push) / (2.0 * q);
  // What arrives along the link: from the fluid, an opening, or the wall on the other side.
  const auto& back = lattice_.velocities[i];
  Int3 from{node[0] + back[0], node[1] + back[1], node[2] + back[2]};
  const auto opening = openingLinks_.find({here, static_cast<int>(i)});
  const double keep = 2.0 * q * f_[here][out] - push;
  if (setup_.run.walls == WallScheme::SingleNode && !arrived_.empty())
    return keep + (1.0 - 2.0 * q) * arrived_[here][out];
  if (fluidAt(from)) return keep + (1.0 - 2.0 * q) * f_[indexOf(from)][out];
  if (opening != openingLinks_.end())
    return keep + (1.0 - 2.0 * q) * throughOpening(here, opening->second);
  const WallEnd& other = endOf(back)->second;
  if (other.condition.kind == WallKind::Symmetry)
    return keep + (1.0 - 2.0 * q) * fromPlane(node, out);
  const double otherPush = pushed(node, i);
  const double p = other.distance;
  // Both walls at once: iterated until it stands.
  double value = f_[here][out];
  for (int k = 0; k < 2000; ++k) {
    const double arriving =
        p >= 0.5 ? (f_[here][i] + (2.0 * p - 1.0) * f_[here][out] - otherPush) / (2.0 * p)
                 : 2.0 * p * f_[here][i] - otherPush + (1.0 - 2.0 * p) * value;
    value = keep + (1.0 - 2.0 * q) * arriving;
  }
  return value;
}

double Reference::fromWall(const Int3& node, std::size_t i) const {
  const auto out = static_cast<std::size_t>(opposite(static_cast<int>(i)));
  const double linear = interpolated(node, i);
  const auto& c = lattice_.velocities[out];
  const WallEnd& end = wallEnds_.at({indexOf(node), directionOf(c[0], c[1], c[2])});
  const bool still = end.distance == 0.5 && end.condition.kind == WallKind::Rest;
  if (setup_.run.walls != WallScheme::Multireflection || still ||
      end.condition.kind == WallKind::Symmetry)
    return linear;
  const auto more = multireflected(node, i, end.distance, pushed(node, out));
  return more ? linear / 32.0 + *more * 31.0 / 32.0 : linear;
}

}  // namespace tessera::testing
