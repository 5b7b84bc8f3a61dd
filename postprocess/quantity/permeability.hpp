// SPDX-License-Identifier: GPL-3.0-or-later
// Permeability. Darcy's law over the whole box: k = mu U / G, with the superficial velocity U (the
// mean over solid and fluid) and the driving force per volume G. Tensor and Forchheimer's law from
// several runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/fields/run_files.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// For fluids of constant viscosity in two cases, otherwise nullopt: a body force along periodic
// axes without openings; an image whose only two openings are opposite faces of the box, driven by
// their pressure difference (and the body force along it). Tortuosity is mean |u| over mean u along
// the force (Duda, Koza & Matyka 2011); a run is inertial if the Reynolds number on sqrt(k) is
// above 0.1, where Forchheimer's term counts.
std::optional<results::Permeability> permeability(
    const fields::NodeLookup& lookup, const solver::file::Fields& fields,
    const fields::NodeSums& sums, const std::vector<results::OpeningSummary>& openings);

// Adds a warning and sets `blocked` if nothing passes along the driven direction, so that the value
// is round-off of a flow not quite at rest: known from the geometry's report, and from the flow
// (tortuosity above ten, or motion against the force). Called after the report was read.
void warnAboutBlocked(results::Results& results, const preprocess::geometry::Frame& frame);

// Permeability tensor from runs of one medium driven along independent directions: with the mean
// velocities U and the driving forces G of the runs as columns, K = mu U G^-1.
struct DarcyRun {
  std::string name;  // name of the fields, for messages
  results::Permeability result;
  double viscosity = 0.0;  // Pa.s
};

// As many runs as dimensions, 3 or 2; in 2D K has no component along the thin third axis of the
// lattice. Throws StageError(Usage) for another number of runs, (BadInput) if the directions are
// dependent.
results::PermeabilityTensor permeabilityTensor(const std::vector<DarcyRun>& runs, int dimensions,
                                               const Double3& thinAxis);

// Two runs or more. Throws StageError(Usage) for fewer, (BadInput) if they are not driven along one
// direction, do not flow, or have equal velocities.
results::Forchheimer forchheimerFit(const std::vector<DarcyRun>& runs);

// Reads further runs of a medium for its permeability tensor; does nothing without any. Runs are
// read one after another, with their own tiles from the same folder unless computed on those of the
// first. Their content hashes are added to the provenance. Throws StageError(BadInput) for another
// box, or without a permeability.
void addPermeabilityTensor(results::Results& results, const fields::RunFiles& run,
                           const std::vector<std::string>& further);

// The same for Forchheimer's law from runs at other forces along the first one's direction.
void addForchheimer(results::Results& results, const fields::RunFiles& run,
                    const std::vector<std::string>& further);

}  // namespace tessera::postprocess::quantity
