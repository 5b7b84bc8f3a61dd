// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/solver_options.hpp"

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/bench/bench.hpp"
#include "solver/case/scheme.hpp"

namespace tessera::solver {

using stage::ExitCode;
using stage::fail;

namespace {

// --scheme as --state and --copies.
void applyScheme(SolverOptions& options) {
  const auto scheme = cases::schemeNamed(options.scheme);
  if (!scheme) return;
  if (!options.state.empty() || options.copies != "auto")
    fail(ExitCode::Usage, "--scheme " + options.scheme +
                              " names state and copies, which are given as well; leave out "
                              "--state and --copies, or --scheme");
  if (!options.bench.empty())
    fail(ExitCode::Usage,
         "--bench measures every scheme; leave out --scheme, or choose by --copies, --precision "
         "and --bench moments");
  options.state = model::nameOf(scheme->state);
  options.copies = std::to_string(scheme->copies);
}

}  // namespace

std::optional<SolverOptions> parseSolverOptions(int argc, const char* const* argv) {
  SolverOptions options;
  stage::CommandLine line(
      "tessera-solver",
      "Solves the flow through a tiled geometry by the lattice Boltzmann method. "
      "Writes run.fields, run.monitor.csv and run.solver.json next to it, and run.ckpt on a "
      "request to stop (SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU, a file STOP next to "
      "the output, the end of --max-walltime or of the batch job), which ends with 75.",
      0, 1, false);
  line.inputs("geom.tiles", {"tiles"});
  line.output("[FILE.fields]");
  line.file("run.fields", "pressure, velocity and stress at every node, for tessera-postprocess");
  line.file("run.monitor.csv", "flow rates, pressures and forces over time, during the run");
  line.file("run.solver.json",
            "run time, machine, date and results, at the end, unless --report names another file");
  line.file("run.NNNN.fields", "intermediate fields, on request of the case");
  line.file("run.ckpt, run.ckpt.prev",
            "the two newest checkpoints, for --resume; removed at the end of the run");
  line.file("STOP", "next to the output: the run writes a checkpoint and ends with 75");
  line.environment("CUDA_VISIBLE_DEVICES", "GPUs that may be used");
  line.environment("SLURM_JOB_END_TIME", "end of the batch job, as --max-walltime");
  line.group("Computer");
  line.choice("--backend", options.backend, {"auto", "cpu", "cuda"},
              "auto: a CUDA device if available (auto)");
  line.option(
      "--precision f64|f32|f32/f64|f16|m32/16", options.precision,
      "of populations, stored/computed; m32/16, of moments alone: density and momentum in 32 "
      "bits, second moments in 16, computed in f32, for memory (the case's, f32)");
  line.choice(
      "--state", options.state, cases::stateWords(),
      "values stored per node; moments: half the memory and traffic, regularised collision; "
      "auto: on a GPU moments, where they give the same results (the case's, auto)");
  line.choice(
      "--copies", options.copies, {"auto", "1", "2"},
      "copies of the state; 1 (CUDA, in-place update): about half the memory at the same speed "
      "(auto: 2 if they fit)");
  line.choice("--scheme", options.scheme, cases::schemeWords(),
              "storage scheme by its name, for --state and --copies together: populations or "
              "moments of whole tiles, in two copies or in place (the case's, auto)");
  line.group("Run");
  line.option("--steps", options.steps, "stop after this many steps (the case's [stop] steps)");
  line.flag(
      "--resume", options.resume,
      "continue from the newest valid checkpoint of this output; start anew if there is none");
  line.option("--initial FILE.fields", options.initial,
              "start from these fields of another run on the same tiles, without a ramp");
  line.option(
      "--max-walltime TIME", options.maxWalltime,
      "write a checkpoint and end before this wall time, for instance \"11.5 h\"; the end of a "
      "Slurm job is also taken from SLURM_JOB_END_TIME");
  line.flag("--check", options.check,
            "read the case and the files that it names, say what it means and end; without tiles "
            "its openings and walls are taken as they stand");
  line.group("Measurement and prediction");
  line.choice(
      "--bench", options.bench, bench::benchOperations(),
      "measure without a case on a file or a built-in geometry such as dense:256: read-write, "
      "each node's own populations; propagation, no collision; step, all variants; moments, "
      "variants that store moments; copy, memory bandwidth; comparators, other structures than "
      "tiles, of the papers. Speeds of step and moments are kept in "
      "the user's cache for the expected time of --plan");
  line.option("--certify", options.certify,
              "compare this many steps in the chosen precision with f64 instead of solving: flow "
              "rates, pressures, kinetic energy, velocities");
  line.option(
      "--ranks", options.ranks,
      "with --plan: predict load balance, communication, memory, step time and efficiency for "
      "this many ranks (one per GPU)");
  line.flag(
      "--structures", options.structures,
      "with --plan: memory, bytes moved and predicted speed of tiles and of the papers' other "
      "structures on this geometry, D3Q19 or D2Q9 in f64 or f32");
  line.example("tessera-solver geom.tiles --case case.toml -o run.fields");
  line.example("tessera-solver --case case.toml --check");
  line.example("tessera-solver geom.tiles --case case.toml --plan");
  line.example("tessera-solver geom.tiles --case case.toml --plan --ranks 8");
  line.example("tessera-solver geom.tiles --case case.toml --plan --structures");
  line.example("tessera-solver geom.tiles --case case.toml --precision f16 --certify 1000");
  line.example("tessera-solver geom.tiles --bench step");
  line.example("tessera-solver spheres:352 --bench propagation --precision f32");
  // Measurements need neither a case nor an output.
  line.alsoRequired([&options](const stage::CommonOptions& given) {
    std::vector<std::string> missing;
    if (!options.bench.empty() || options.check) return missing;
    if (given.inputs.empty()) missing.emplace_back("an input, for instance geom.tiles");
    if (given.caseFile.empty())
      missing.emplace_back("--case FILE.toml (fluid and boundary conditions)");
    if (given.output.empty() && !given.plan && !options.certify)
      missing.emplace_back("-o OUTPUT, for instance -o run.fields");
    return missing;
  });
  line.versionDetail([] {
    const auto device = backend::findDevice();
    return device ? device->name : std::string("none, the CPU is used");
  });
  const auto common = line.parse(argc, argv);
  if (!common) return std::nullopt;
  options.common = *common;
  applyScheme(options);
  return options;
}

double maxWalltime(const SolverOptions& options) {
  double seconds = 0.0;
  try {
    seconds = stage::parseQuantity(*options.maxWalltime, stage::Dimension::Time);
  } catch (const stage::StageError& error) {
    fail(ExitCode::Usage, std::string("--max-walltime: ") + error.what());
  }
  if (!(seconds >= 1.0 && seconds <= 1e9))
    fail(ExitCode::Usage,
         fmt::format("--max-walltime is \"{}\"; a time of at least 1 s is required",
                     *options.maxWalltime));
  return seconds;
}

namespace {

void checkCertify(const SolverOptions& options) {
  if (*options.certify < 1)
    fail(ExitCode::Usage, fmt::format("--certify is {}; at least 1 is required", *options.certify));
  if (!options.bench.empty() || options.common.plan || !options.common.output.empty() ||
      options.resume || options.steps || options.maxWalltime)
    fail(ExitCode::Usage,
         "--certify makes two short runs and keeps no output; leave out --bench, --plan, "
         "-o, --resume, --steps and --max-walltime");
}

void checkRanks(const SolverOptions& options) {
  if (!options.common.plan)
    fail(ExitCode::Usage, "--ranks is a prediction for --plan; leave it out, or add --plan");
  if (*options.ranks < 1 || *options.ranks > 1'000'000)
    fail(ExitCode::Usage, fmt::format("--ranks is {}; 1 to 1000000 is required", *options.ranks));
}

void checkCheck(const SolverOptions& options) {
  const stage::CommonOptions& common = options.common;
  if (common.plan || !common.report.empty() || !common.output.empty() || !options.bench.empty() ||
      options.initial || options.resume || options.certify || options.ranks || options.structures ||
      options.precision || options.steps || options.maxWalltime || !options.state.empty())
    fail(ExitCode::Usage,
         "--check only reads the case; leave out all other options but --case and tiles");
  if (common.caseFile.empty()) fail(ExitCode::Usage, "--check needs --case FILE.toml");
}

}  // namespace

void checkCombination(const SolverOptions& options) {
  if (options.check) return checkCheck(options);
  if (options.common.inputs.empty())
    fail(ExitCode::Usage, "no input was given; --help shows the options.");
  if (options.ranks) checkRanks(options);
  if (options.structures && !options.common.plan)
    fail(ExitCode::Usage, "--structures is a table of --plan; leave it out, or add --plan");
  if (options.certify) checkCertify(options);
  if (!options.bench.empty()) {
    if (options.common.plan || !options.common.report.empty() || !options.common.output.empty())
      fail(ExitCode::Usage,
           "--bench prints its measurement and writes no file of yours; leave out --plan, "
           "--report and -o");
    if (options.initial || options.resume || options.maxWalltime)
      fail(ExitCode::Usage,
           "--bench starts from its own state; leave out --initial, --resume and --max-walltime");
    return;
  }
  if (options.maxWalltime) (void)maxWalltime(options);
  if (options.steps && *options.steps < 1)
    fail(ExitCode::Usage, fmt::format("--steps is {}; at least 1 is required", *options.steps));
}

}  // namespace tessera::solver
