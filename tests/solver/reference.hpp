// SPDX-License-Identifier: GPL-3.0-or-later
// The plain reference: a dense box of whole populations (not deviations), one loop over nodes, the
// formulas as they stand in the papers. Slow and, one hopes, obviously right.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "solver/run/simulation.hpp"

namespace tessera::testing {

using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;

class Reference {
 public:
  // Starts from the simulation's populations.
  Reference(const TilesFile& tiles, const Setup& setup, const std::vector<double>& inFileOrder);
  // coefficients: amplitudes of the openings in this step (OpeningSeries).
  void step(std::span<const double> coefficients);
  // Deviations in the order and shape of Simulation::populations(); solid nodes are 0.
  [[nodiscard]] std::vector<double> inFileOrder() const;

 private:
  using Populations = std::vector<double>;  // q of one node
  [[nodiscard]] std::size_t indexOf(const Int3& node) const;
  [[nodiscard]] bool fluidAt(Int3& node) const;  // wraps periodic axes
  [[nodiscard]] double arrivingAlong(const Int3& node, std::size_t i) const;
  [[nodiscard]] double byZouHe(std::size_t node, const IncomingLink& link) const;
  [[nodiscard]] Populations arriving(const Int3& node) const;
  [[nodiscard]] double regularised(const IncomingLink& link, const Populations& own) const;
  [[nodiscard]] double throughOpening(std::size_t node, const IncomingLink& link) const;
  [[nodiscard]] double amplitudeOf(const IncomingLink& link) const;
  void solveOutlets();
  // What comes back along i from the wall that the link opposite to it ends on.
  [[nodiscard]] double fromWall(const Int3& node, std::size_t i) const;
  [[nodiscard]] double interpolated(const Int3& node, std::size_t i) const;
  [[nodiscard]] std::optional<double> multireflected(const Int3& node, std::size_t i, double q,
                                                     double push) const;
  [[nodiscard]] double fromPlane(const Int3& node, std::size_t i) const;
  [[nodiscard]] bool endsOnPlane(const Int3& node, const std::array<int, 3>& c) const;
  [[nodiscard]] double pushed(const Int3& node, std::size_t out) const;
  void collide(Populations& f) const;
  // Of the node, from its populations before the collision.
  [[nodiscard]] double relaxationTime(const Populations& f) const;
  void collidePairs(Populations& f, const Populations& equilibrium, const Populations& source,
                    double tau) const;
  void collideStress(Populations& f, const Populations& equilibrium,
                     const Populations& source) const;
  void collideMoments(Populations& f, const Populations& equilibrium,
                      const Populations& source) const;

  const TilesFile& tiles_;
  const Setup& setup_;
  const LatticeInfo& lattice_;
  std::size_t q_;
  Domain domain_;
  std::vector<double> coefficients_;  // of the step being made
  std::vector<OutletState> outlets_;
  std::vector<char> fluid_;
  std::vector<Populations> f_;
  std::map<std::pair<std::size_t, int>, IncomingLink> openingLinks_;  // node, direction out
  struct WallEnd {
    double distance;
    WallCondition condition;
  };
  std::map<std::pair<std::size_t, int>, WallEnd> wallEnds_;  // node, one of the 26 directions
  std::vector<Populations> arrived_;                         // in the step before; empty: none
};

// After some 40 steps, relative to what is left of deviations of 1e-3; the reference rounds whole
// populations, of up to 1/3, in each step. Storage rounds once a step: by 2^-25 in f32/f64, which
// is little of what the arithmetic of f32 does, and by 2^-12 in f16.
double toleranceOfReference(const VariantInfo& variant);

// Of CUDA against the CPU after 1000 steps: multiplications and additions are fused there, so that
// now and then what is stored is rounded to the other side; f16 is then as far from itself as it is
// from f32.
double toleranceOfCuda(const VariantInfo& variant);

// max |a - b| / max |a| over the populations of non-solid nodes.
double largestDifference(const TilesFile& tiles, const std::vector<double>& a,
                         const std::vector<double>& b);

}  // namespace tessera::testing
