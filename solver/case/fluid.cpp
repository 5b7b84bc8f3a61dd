// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

using model::ViscosityLaw;
using stage::Dimension;

namespace {

// Properties of a named fluid, SI; 0 where undefined.
struct NamedFluid {
  const char* name;
  double density;
  double viscosity;                           // Newtonian
  double zero, infinity, timeConstant, a, n;  // Carreau-Yasuda
  double yieldStress, plasticViscosity, largestCassonViscosity;
};

// Blood: Newtonian by Hund, Kameneva & Antaki 2017, Carreau by Cho & Kensey 1991, Casson by
// Fournier 2011 (per 1060 kg/m3 as in OpenFOAM's Casson model). Water at 20 degrees Celsius: IAPWS
// 2008.
constexpr NamedFluid namedFluids[] = {
    {"blood", 1060.0, 3.5e-3, 0.056, 3.45e-3, 3.313, 2.0, 0.3568, 1060.0 * 2.9032e-6,
     1060.0 * 3.934986e-6, 1060.0 * 13.3333e-6},
    {"water", 998.2, 1.0016e-3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
};

// The table [fluid], completed from the named fluid.
struct FluidTable {
  stage::CaseTable table;
  const NamedFluid* named = nullptr;
  std::string model;

  bool lacks = false;  // a value, which is then not a number

  double orNamed(std::optional<double> value, const char* key, double named_, const char* example) {
    if (value) return *value;
    if (named_ > 0.0) return named_;
    lacks = true;
    if (!table.refused(key))
      table.noteMissing(
          "[fluid] of model " + model + " needs " + key +
          (named != nullptr ? std::string(" (") + named->name + " has none)" : std::string()) +
          ", for instance " + key + " = " + example);
    return std::numeric_limits<double>::quiet_NaN();
  }
  double quantity(const char* key, Dimension dimension, double least, double most, double named_,
                  const char* example) {
    return orNamed(table.quantity(key, dimension, least, most), key, named_, example);
  }
  // Kinematic viscosity, m2/s. The unit selects kinematic or dynamic; a bare number and named_ are
  // dynamic, Pa.s.
  double viscosity(const char* key, double density, double named_, const char* example) {
    const std::string text = table.isText(key) ? table.text(key).value_or("") : std::string();
    const bool kinematic = stage::hasUnitOf(text, Dimension::KinematicViscosity);
    const auto dimension = kinematic ? Dimension::KinematicViscosity : Dimension::DynamicViscosity;
    const double value = orNamed(table.quantity(key, dimension, 1e-12, 1e6), key, named_, example);
    if (table.isBare(key)) checkBare(key, value, density);
    return kinematic ? value : value / density;
  }
  // Throws for a bare number that is a kinematic viscosity: m2/s of liquids are at least 2e-8.
  void checkBare(const char* key, double value, double density) const {
    constexpr double thinnest = 2e-8, lightestLiquid = 100.0;
    if (!(density >= lightestLiquid && value < thinnest * density)) return;
    const std::string given = stage::number(value);
    stage::fail(stage::ExitCode::Usage,
                table.where(key) +
                    ": a bare viscosity is in Pa.s, and at this density no liquid is "
                    "as thin as " +
                    given + " Pa.s; is " + key + " = \"" + given +
                    " m2/s\" meant? Otherwise write \"" + given + " Pa.s\"");
  }
  // Throws unless the largest viscosity is more than the least.
  void checkOrder(const ViscosityLaw& law, const char* largest, const char* least) const {
    if (lacks || law.highest > law.lowest) return;
    stage::fail(stage::ExitCode::Usage, table.where(largest) + ": " + largest + " is not above " +
                                            least +
                                            "; the largest viscosity must exceed the least one");
  }
};

void readCarreauYasuda(FluidTable& fluid, double density, ViscosityLaw& law) {
  const NamedFluid none{};
  const NamedFluid& named = fluid.named != nullptr ? *fluid.named : none;
  law.highest = fluid.viscosity("viscosity_zero", density, named.zero, "\"0.056 Pa.s\"");
  law.lowest = fluid.viscosity("viscosity_infinity", density, named.infinity, "\"3.45e-3 Pa.s\"");
  law.timeConstant = fluid.quantity("time_constant", Dimension::Time, 1e-9, 1e9, named.timeConstant,
                                    "\"3.313 s\"");
  law.n = fluid.quantity("n", Dimension::None, 0.2, 0.999, named.n, "0.3568");
  law.a =
      fluid.table.quantity("a", Dimension::None, 0.3, 4.0).value_or(named.a > 0.0 ? named.a : 2.0);
  fluid.checkOrder(law, "viscosity_zero", "viscosity_infinity");
}

void readCasson(FluidTable& fluid, double density, ViscosityLaw& law) {
  const NamedFluid none{};
  const NamedFluid& named = fluid.named != nullptr ? *fluid.named : none;
  law.yield = fluid.quantity("yield_stress", Dimension::Pressure, 1e-12, 1e9, named.yieldStress,
                             "\"3 mPa\"") /
              density;
  law.lowest =
      fluid.viscosity("plastic_viscosity", density, named.plasticViscosity, "\"4.2e-3 Pa.s\"");
  law.highest =
      fluid.viscosity("viscosity_max", density, named.largestCassonViscosity, "\"0.1 Pa.s\"");
  fluid.checkOrder(law, "viscosity_max", "plastic_viscosity");
}

void readPowerLaw(FluidTable& fluid, double density, ViscosityLaw& law) {
  law.n = fluid.quantity("exponent", Dimension::None, 0.2, 2.0, 0.0, "0.7");
  if (law.n > 0.999 && law.n < 1.001)
    stage::fail(stage::ExitCode::Usage,
                fluid.table.where("exponent") +
                    ": with an exponent of 1 the fluid is Newtonian; use model = "
                    "\"newtonian\"");
  law.consistency =
      fluid.quantity("consistency", Dimension::Consistency, 1e-12, 1e9, 0.0, "\"0.017 Pa.s^n\"") /
      density;
  law.lowest = fluid.viscosity("viscosity_min", density, 0.0, "\"3e-3 Pa.s\"");
  law.highest = fluid.viscosity("viscosity_max", density, 0.0, "\"0.1 Pa.s\"");
  fluid.checkOrder(law, "viscosity_max", "viscosity_min");
}

const NamedFluid* namedFluid(stage::CaseTable& table) {
  std::vector<std::string> names;
  for (const NamedFluid& fluid : namedFluids) names.emplace_back(fluid.name);
  const auto name = table.word("fluid", names);
  if (!name) return nullptr;
  for (const NamedFluid& fluid : namedFluids)
    if (*name == fluid.name) return &fluid;
  return nullptr;
}

}  // namespace

void readFluid(stage::CaseTable table, SolverCase& run) {
  FluidTable fluid{table, namedFluid(table), "newtonian"};
  const double namedDensity = fluid.named != nullptr ? fluid.named->density : 0.0;
  fluid.model = table.word("model", {"newtonian", "carreau-yasuda", "casson", "power-law"})
                    .value_or("newtonian");
  if (table.refused("model") || table.refused("fluid")) return;  // which choose the keys
  run.density =
      fluid.quantity("density", Dimension::Density, 1e-6, 1e6, namedDensity, "\"1060 kg/m3\"");
  run.law = {};
  if (fluid.model == "newtonian") {
    run.law.lowest = run.law.highest =
        fluid.viscosity("viscosity", run.density,
                        fluid.named != nullptr ? fluid.named->viscosity : 0.0, "\"3.5e-3 Pa.s\"");
  } else if (fluid.model == "carreau-yasuda") {
    run.law.model = model::FluidModel::CarreauYasuda;
    readCarreauYasuda(fluid, run.density, run.law);
  } else if (fluid.model == "casson") {
    run.law.model = model::FluidModel::Casson;
    readCasson(fluid, run.density, run.law);
  } else {
    run.law.model = model::FluidModel::PowerLaw;
    readPowerLaw(fluid, run.density, run.law);
  }
  run.kinematicViscosity = run.law.lowest;
  table.rejectUnknown();
}

}  // namespace tessera::solver::cases
