// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/pressure_tap.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/sample_field.hpp"

namespace tessera::postprocess::fields {

double subtractPressureAt(const Double3& point, const NodeLookup& lookup,
                          solver::file::Fields& fields, const std::string& name) {
  const Stencil stencil = stencilAt(lookup, lookup.geometry.frame.toLattice(point));
  if (stencil.count == 0)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{}: {}, {}, {} m is not in the fluid; a point in the world frame that "
                            "is in it is required",
                            name, stage::number(point[0]), stage::number(point[1]),
                            stage::number(point[2])));
  const double pressure = fields.pressurePa(sample(fields.pressure, stencil));
  fields.pressureReference -= pressure;
  for (solver::file::OpeningResult& opening : fields.openings) opening.meanPressure -= pressure;
  if (fields.means)
    fields.means->pressureReference -=
        fields.means->pressureReference +
        fields.pressureFactor * sample(fields.means->pressure, stencil);
  return pressure;
}

}  // namespace tessera::postprocess::fields
