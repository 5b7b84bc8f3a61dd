// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_forces.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::WallForce;

namespace {

std::size_t labelOf(const std::vector<WallForce>& forces, const std::string& name) {
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (forces[k].name == name) return k;
  std::vector<std::string> known;
  for (const WallForce& force : forces) known.push_back(force.name);
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format(
          "--body is \"{}\"; expected one of the wall labels of this geometry: {} (named by "
          "tessera-preprocess)",
          name, stage::joined(known)));
}

Double3 squareTo(const Double3& flow, const Double3& across) {
  const Double3 rest = across - dot(across, flow) * flow;
  if (!(length(rest) > 1e-6))
    stage::fail(stage::ExitCode::Usage,
                "--lift-direction points along --flow-direction; give a direction across the flow");
  return (1.0 / length(rest)) * rest;
}

}  // namespace

std::vector<WallForce> wallForces(const WallSurface& wall, const std::vector<StressAtWall>& stress,
                                  const preprocess::geometry::Frame& frame,
                                  const std::vector<std::string>& names, const Double3& about) {
  std::vector<WallForce> forces(names.size());
  for (std::size_t label = 0; label < names.size(); ++label) {
    forces[label].label = static_cast<preprocess::geometry::Patch>(label);
    forces[label].name = names[label];
  }
  const double scale = 0.5 * frame.spacing * frame.spacing;
  for (std::size_t t = 0; t < stress.size(); ++t) {
    if (!stress[t].measured || wall.mesh.label[t] >= forces.size()) continue;
    const Double3 area = scale * preprocess::geometry::areaVector(wall.mesh, t);
    const Double3 pressure = stress[t].pressure * frame.directionToWorld(area);
    const Double3 viscous = -1.0 * frame.directionToWorld(stressTimes(stress[t].stress, area));
    const Double3 arm = frame.toWorld(centroidOf(wall.mesh, t)) - about;
    WallForce& force = forces[wall.mesh.label[t]];
    force.pressure = force.pressure + pressure;
    force.viscous = force.viscous + viscous;
    force.pressureMoment = force.pressureMoment + cross(arm, pressure);
    force.viscousMoment = force.viscousMoment + cross(arm, viscous);
  }
  return forces;
}

std::optional<ForceReference> referenceOfCase(const solver::file::Fields& fields,
                                              const std::vector<std::string>& names) {
  if (!fields.forceReference) return std::nullopt;
  const solver::file::CoefficientReference& of = *fields.forceReference;
  ForceReference reference{{}, of.velocity, of.area, of.flow, std::nullopt, of.length};
  if (of.across != Double3{}) reference.across = of.across;
  for (const std::size_t label : of.walls)
    if (label < names.size()) reference.bodies.push_back(names[label]);
  return reference;
}

void addExchanged(const solver::file::Fields& fields, const Double3& about,
                  std::vector<WallForce>& forces) {
  for (std::size_t k = 0; k < std::min(forces.size(), fields.walls.size()); ++k) {
    const solver::file::WallResult& wall = fields.walls[k];
    forces[k].exchanged = wall.force;
    forces[k].exchangedTorque =
        wall.torque + cross(Double3(fields.torqueAbout) - about, Double3(wall.force));
  }
}

std::vector<std::size_t> bodyLabels(const std::vector<WallForce>& forces,
                                    const ForceReference& reference) {
  std::vector<std::size_t> labels;
  for (const std::string& name : reference.bodies) {
    const std::size_t label = labelOf(forces, name);
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  if (labels.empty())
    for (std::size_t k = 0; k < forces.size(); ++k) labels.push_back(k);
  return labels;
}

double unitForce(double density, const ForceReference& reference) {
  return 0.5 * density * reference.velocity * reference.velocity * reference.area;
}

std::optional<Double3> liftDirection(const ForceReference& reference) {
  if (!reference.across) return std::nullopt;
  return squareTo(reference.flow, *reference.across);
}

results::ForceCoefficients forceCoefficients(const std::vector<WallForce>& forces, double density,
                                             const ForceReference& reference) {
  results::ForceCoefficients result;
  result.velocity = reference.velocity;
  result.area = reference.area;
  result.flow = reference.flow;
  Double3 pressure{}, viscous{}, total{};
  for (const std::size_t label : bodyLabels(forces, reference)) {
    const WallForce& force = forces[label];
    result.bodies.push_back(force.name);
    pressure = pressure + force.pressure;
    viscous = viscous + force.viscous;
    total = total + force.total();
  }
  const double one = unitForce(density, reference);
  result.pressureDrag = dot(pressure, reference.flow) / one;
  result.viscousDrag = dot(viscous, reference.flow) / one;
  result.drag = dot(total, reference.flow) / one;
  result.across = liftDirection(reference);
  if (result.across) result.lift = dot(total, *result.across) / one;
  return result;
}

}  // namespace tessera::postprocess::quantity
