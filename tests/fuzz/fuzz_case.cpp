// SPDX-License-Identifier: GPL-3.0-or-later
// The case file: mistakes in it are of usage, exit code 2.
#include "pipelines/stage/case/case_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::stage;

namespace {

const std::string all =
    "[preprocess]\nunit = \"mm\"\nacross = 40\n[fluid]\ndensity = \"1060 kg/m3\"\n"
    "viscosity = \"3.5e-3 Pa.s\"\n[solver]\nlattice = \"D3Q19\"\nlattice_velocity = 0.05\n"
    "body_force = [0, 0, 1e-3]\n[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.3 m/s\"\n"
    "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"0 Pa\"\n[stop]\nsteps = 200000\n"
    "converged = 1e-6\nrequire_convergence = false\n[output]\ncheckpoint_every = \"30 min\"\n";

// Asks as the stages do.
void ask(const CaseFile& file) {
  CaseTable fluid = file.table("fluid");
  fluid.quantity("density", Dimension::Density, 1e-3, 1e5);
  fluid.text("viscosity");
  fluid.rejectUnknown();
  CaseTable solver = file.table("solver");
  solver.word("lattice", {"D2Q9", "D3Q19", "D3Q27"});
  solver.quantity("lattice_velocity", Dimension::None, 0.0, 1.0);
  solver.vector("body_force", Dimension::None);
  for (CaseTable opening : file.tables("opening")) {
    opening.integer("id", 1, 1000);
    opening.text("kind");
    opening.quantity("mean", Dimension::Velocity);
    opening.quantity("value", Dimension::Pressure);
    opening.rejectUnknown();
  }
  CaseTable stop = file.table("stop");
  stop.integer("steps", 1, 1'000'000'000);
  stop.flag("require_convergence");
  file.table("output").quantity("checkpoint_every", Dimension::Time);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {all, "fluid = {density = 1060, viscosity = \"3.3e-6 m2/s\"}\nopening = [{id = 1}]\n"};
}

// Its values and its last tables alone.
std::vector<fuzz::Inside> fuzz::insides() {
  return {insideOf(all, "density = \"", "\""),      insideOf(all, "viscosity = ", "\n"),
          insideOf(all, "body_force = [", "]"),     insideOf(all, "lattice_velocity = ", "\n"),
          insideOf(all, "[[opening]]\n", "[stop]"), insideOf(all, "[stop]\n", "")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::countOutcome(
      [&] {
        ask(CaseFile::parse({reinterpret_cast<const char*>(data), size}, "case.toml"));
      },
      ExitCode::Usage);
}
