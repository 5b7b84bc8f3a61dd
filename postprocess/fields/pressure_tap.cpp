// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/pressure_tap.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/sample_field.hpp"

namespace tessera::postprocess::fields {

namespace {

// Change of each column of the monitor with the reference pressure, per Pa.
std::vector<double> columnsPerPascal(const solver::file::Fields& fields) {
  std::vector<double> effect;
  for (const std::string& column : fields.monitorColumns)
    effect.push_back(column.starts_with("pressure_") ? 1.0 : 0.0);
  const auto set = [&](const std::string& name, double value) {
    for (std::size_t c = 0; c < effect.size(); ++c)
      if (fields.monitorColumns[c] == name) effect[c] = value;
  };
  for (std::size_t k = 0; k < fields.walls.size(); ++k)
    for (std::size_t a = 0; a < 3; ++a) {
      set(fmt::format("force_{}_{}[N]", k, "xyz"[a]), fields.walls[k].perPascal->force[a]);
      set(fmt::format("torque_{}_{}[N.m]", k, "xyz"[a]), fields.walls[k].perPascal->torque[a]);
    }
  for (const solver::file::OpeningResult& opening : fields.openings)
    for (std::size_t a = 0; a < 3 && opening.forcePerPascal; ++a)
      set(fmt::format("force_opening_{}_{}[N]", opening.id, "xyz"[a]),
          (*opening.forcePerPascal)[a]);
  return effect;
}

void subtractFromForces(double pressure, solver::file::Fields& fields) {
  for (solver::file::WallResult& wall : fields.walls)
    for (std::size_t a = 0; a < 3; ++a) {
      wall.force[a] -= pressure * wall.perPascal->force[a];
      wall.torque[a] -= pressure * wall.perPascal->torque[a];
    }
  for (solver::file::OpeningResult& opening : fields.openings)
    for (std::size_t a = 0; a < 3 && opening.force && opening.forcePerPascal; ++a)
      (*opening.force)[a] -= pressure * (*opening.forcePerPascal)[a];
}

void subtractFromMonitor(double pressure, solver::file::Fields& fields) {
  const std::vector<double> effect = columnsPerPascal(fields);
  for (std::size_t k = 0; k < fields.monitorRows.size() && !effect.empty(); ++k)
    fields.monitorRows[k] -= pressure * effect[k % effect.size()];
}

}  // namespace

double subtractPressureAt(const Double3& point, const NodeLookup& lookup,
                          solver::file::Fields& fields, const std::string& name) {
  const Stencil stencil = stencilAt(lookup, lookup.geometry.frame.toLattice(point));
  if (stencil.count == 0)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{}: {}, {}, {} m is not in the fluid; a point in the world frame that "
                            "is in it is required",
                            name, stage::number(point[0]), stage::number(point[1]),
                            stage::number(point[2])));
  for (const solver::file::WallResult& wall : fields.walls)
    if (!wall.perPascal)
      stage::fail(stage::ExitCode::BadInput,
                  name +
                      ": these fields do not say how the forces on walls depend on the "
                      "reference pressure, as an early version wrote them; run the solver "
                      "again, or leave the point out");
  const double pressure = fields.pressurePa(sample(fields.pressure, stencil));
  fields.pressureReference -= pressure;
  for (solver::file::OpeningResult& opening : fields.openings) opening.meanPressure -= pressure;
  double overTime = pressure;
  if (fields.means) {
    overTime = fields.means->pressureReference +
               fields.pressureFactor * sample(fields.means->pressure, stencil);
    fields.means->pressureReference -= overTime;
  }
  subtractFromForces(pressure, fields);
  subtractFromMonitor(overTime, fields);
  return pressure;
}

}  // namespace tessera::postprocess::fields
