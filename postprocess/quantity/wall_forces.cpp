// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_forces.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::WallForce;

namespace {

const WallForce& forceOn(const std::vector<WallForce>& forces, const std::string& name) {
  for (const WallForce& force : forces)
    if (force.name == name) return force;
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

results::ForceCoefficients forceCoefficients(const std::vector<WallForce>& forces, double density,
                                             const ForceReference& reference) {
  results::ForceCoefficients result;
  result.bodies = reference.bodies;
  if (result.bodies.empty())
    for (const WallForce& force : forces) result.bodies.push_back(force.name);
  result.velocity = reference.velocity;
  result.area = reference.area;
  result.flow = reference.flow;
  Double3 pressure{}, viscous{};
  for (const std::string& name : result.bodies) {
    const WallForce& force = forceOn(forces, name);
    pressure = pressure + force.pressure;
    viscous = viscous + force.viscous;
  }
  const double one = 0.5 * density * reference.velocity * reference.velocity * reference.area;
  result.pressureDrag = dot(pressure, reference.flow) / one;
  result.viscousDrag = dot(viscous, reference.flow) / one;
  result.drag = result.pressureDrag + result.viscousDrag;
  if (reference.across) {
    result.across = squareTo(reference.flow, *reference.across);
    result.lift = dot(pressure + viscous, *result.across) / one;
  }
  return result;
}

}  // namespace tessera::postprocess::quantity
