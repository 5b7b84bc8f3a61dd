// SPDX-License-Identifier: GPL-3.0-or-later
// The mirror image of a flow with a mirror plane, to the last bit: obstacles, force and start are
// symmetric about y, so population i of a node must equal population m(i) of its image, m turning
// the direction's y round. Sums of an expression's terms must not depend on which of two mirrored
// directions comes first.
#include <algorithm>
#include <cmath>
#include <random>

#include "solver/backend/sample.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::backend;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

// Direction with the component along an axis turned round.
std::size_t mirrored(const LatticeInfo& lattice, std::size_t i, std::size_t axis) {
  std::array<int, 3> c = lattice.velocities[i];
  c[axis] = -c[axis];
  return static_cast<std::size_t>(
      std::find(lattice.velocities.begin(), lattice.velocities.end(), c) -
      lattice.velocities.begin());
}

struct Asymmetry {
  double largest = 0.0;  // difference of a population from its image
  double share = 0.0;    // of the populations that differ at all
};

// Mirrored populations of a box with n nodes along the axis: value of population i of the node.
class MirrorPlane {
 public:
  MirrorPlane(const Flow& flow, std::size_t axis)
      : lattice_(flow.simulation->setup().variant->lattice),
        nodes_(flow.tiles->geometry.nodes),
        axis_(axis) {}
  [[nodiscard]] std::size_t place(std::size_t i, const Int3& node) const {
    return static_cast<std::size_t>(node[0] + nodes_[0] * (node[1] + nodes_[1] * node[2])) *
               lattice_.velocities.size() +
           i;
  }
  [[nodiscard]] std::size_t image(std::size_t i, Int3 node) const {
    node[axis_] = nodes_[axis_] - 1 - node[axis_];
    return place(mirrored(lattice_, i, axis_), node);
  }
  [[nodiscard]] std::size_t size() const { return place(0, {0, 0, nodes_[2]}); }

 private:
  const LatticeInfo& lattice_;
  Int3 nodes_;
  std::size_t axis_;
};

Asymmetry asymmetryOf(Flow& flow, std::size_t axis) {
  const MirrorPlane plane(flow, axis);
  const std::vector<double> f = flow.simulation->populations();
  std::vector<double> inBox(plane.size(), 0.0);
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    inBox[plane.place(i, node)] = f[at];
  });
  Asymmetry out;
  double count = 0.0;
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    const double difference = std::abs(f[at] - inBox[plane.image(i, node)]);
    out.largest = largerOf(out.largest, difference);
    out.share += difference != 0.0;
    count += 1.0;
  });
  out.share /= count;
  return out;
}

// Noise of 1e-3 that is its own image.
void startMirrored(Flow& flow, std::size_t axis) {
  const MirrorPlane plane(flow, axis);
  std::mt19937 engine(11);
  std::vector<double> inBox(plane.size(), 0.0);
  for (double& value : inBox) value = (static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3;
  std::vector<double> f(flow.simulation->populations().size(), 0.0);
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    // A sum of two is the same either way round.
    f[at] = static_cast<float>(0.5 * (inBox[plane.place(i, node)] + inBox[plane.image(i, node)]));
  });
  flow.simulation->setPopulations(f);
}

Asymmetry asymmetryAfter(const VariantInfo& row, std::size_t axis, std::uint64_t steps,
                         const Options& options) {
  const bool flat = row.lattice.dimensions == 2;
  const Int3 nodes = flat ? Int3{21, 22, 1} : Int3{11, 10, 9};
  const auto strewn = testing::strewn(0.85);
  const auto fluid = [&](int x, int y, int z) {
    Int3 node{x, y, z};
    node[axis] = std::min(node[axis], nodes[axis] - 1 - node[axis]);
    return strewn(node[0], node[1], node[2]);
  };
  std::array<bool, 3> periodic{true, true, true};
  if (!flat) periodic[2] = axis == 2;
  SolverCase run = latticeCase(modelOf(row), 0.7);
  run.bodyForce = {1e-5, 7e-6, flat ? 0.0 : 3e-6};
  run.bodyForce[axis] = 0.0;
  const LatticeGeometry geometry =
      testing::imageLattice(nodes, fluid, periodic, {}, 1.0, flat ? 2 : 3);
  Flow flow = startFlow(
      row.axes.tiling == TilingId::Shifted
          ? testing::shiftedTiles(geometry, {0, 1, 2})
          : testing::imageGeometry(nodes, fluid, periodic, {}, 1.0, {1, 2, 0}, flat ? 2 : 3),
      run, options);
  startMirrored(flow, axis);
  flow.simulation->advance(steps);
  return asymmetryOf(flow, axis);
}

}  // namespace

Findings mirrorSymmetry(const Options& options) {
  Findings out;
  const std::uint64_t steps = options.quick ? 100 : 2000;
  out.setting =
      "Strewn obstacles, a force and noise with a mirror plane across each axis in turn; " +
      std::to_string(steps) + " steps.";
  for (const VariantInfo& row : variants()) {
    if (row.axes.viscosity != ViscosityId::Constant) continue;
    double largest = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(row.lattice.dimensions); ++axis)
      largest = largerOf(largest, asymmetryAfter(row, axis, steps, options).largest);
    out.atMost("largest difference from the mirror image, " + row.name(), largest, 0.0,
               "mirror symmetry");
  }
  return out;
}

}  // namespace tessera::validation
