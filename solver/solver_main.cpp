// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-solver: geom.tiles and a case to run.fields.
#include <tbb/info.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/hash.hpp"
#include "pipelines/stage/progress.hpp"
#include "pipelines/stage/quantity.hpp"
#include "pipelines/stage/targets.hpp"
#include "solver/bench.hpp"
#include "solver/bench_geometry.hpp"
#include "solver/certify.hpp"
#include "solver/device.hpp"
#include "solver/initial_state.hpp"
#include "solver/ranks/load_part.hpp"
#include "solver/ranks/rank_plan.hpp"
#include "solver/simulation.hpp"
#include "solver/solver_report.hpp"

using namespace tessera;

namespace {

constexpr const char* program = "tessera-solver";

std::atomic<bool> askedToStop{false};
const StopRequests::Clock::time_point started = StopRequests::Clock::now();  // of the program

// The first signal asks for a checkpoint; a second SIGINT quits at once.
extern "C" void onSignal(int signal) {
  askedToStop.store(true);
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

struct SolverOptions {
  CommonOptions common;
  std::string backend = "auto";
  std::optional<std::string> precision;
  std::optional<std::int64_t> steps;
  bool resume = false;
  std::optional<std::string> initial;
  std::optional<std::string> maxWalltime;
  std::string state;
  std::string copies = "auto";
  std::string bench;
  std::optional<std::int64_t> certify;
  std::optional<std::int64_t> ranks;
};

std::optional<SolverOptions> parseCommandLine(int argc, char** argv) {
  SolverOptions options;
  CommandLine line(
      program,
      "Solves the flow through a tiled geometry by the lattice Boltzmann method. "
      "Writes run.fields, and beside it run.monitor.csv while it runs and run.ckpt when "
      "it is asked to stop (SIGTERM, SIGINT, SIGUSR1, a file STOP beside the output, the end of "
      "--max-walltime or of the batch job), which ends with 75.",
      1, 1, false);
  line.choice("--backend", options.backend, {"auto", "cpu", "cuda"},
              "where to run; auto: a CUDA device when there is one (auto)");
  line.option("--precision", options.precision,
              "of populations, stored/computed: f64, f32, f32/f64 or f16 (the case's, f32)");
  line.choice("--state", options.state, {"populations", "moments"},
              "what a node stores; moments: half the memory and traffic, collision regularised "
              "(the case's, populations)");
  line.choice(
      "--copies", options.copies, {"auto", "1", "2"},
      "of the state in memory; 1, on CUDA: little more than half the memory at the same speed "
      "(auto: 2 where they fit)");
  line.option("--steps", options.steps, "stop after this many steps (the case's [stop] steps)");
  line.flag("--resume", options.resume,
            "go on from the newest valid checkpoint of this output; fresh when there is none");
  line.option("--initial", options.initial,
              "start from these fields of another run on the same tiles, without a ramp");
  line.option(
      "--max-walltime", options.maxWalltime,
      "leave a checkpoint and end before so much wall time has passed, for instance "
      "\"11.5 h\"; the end of a Slurm job that says it (SLURM_JOB_END_TIME) is known without");
  line.choice(
      "--bench", options.bench, benchOperations(),
      "measure instead of solving, without a case, on a file or a built-in geometry such as "
      "dense:256: read-write, each node's own populations; propagation, no collision; step, "
      "all variants; moments, those that store moments; copy, the memory");
  line.option("--certify", options.certify,
              "compare this many steps in the chosen precision with as many in f64, instead of "
              "solving: flow rates, pressures, kinetic energy, velocities");
  line.option(
      "--ranks", options.ranks,
      "with --plan: foretell this many ranks, one a GPU: balance, what they send each other, "
      "memory, time of a step, efficiency");
  line.example("tessera-solver geom.tiles --case case.toml -o run.fields");
  line.example("tessera-solver geom.tiles --case case.toml --plan");
  line.example("tessera-solver geom.tiles --case case.toml --plan --ranks 8");
  line.example("tessera-solver geom.tiles --case case.toml --precision f16 --certify 1000");
  line.example("tessera-solver geom.tiles --bench step");
  line.example("tessera-solver spheres:352 --bench propagation --precision f32");
  line.versionDetail([] {
    const auto device = findDevice();
    return device ? device->name : std::string("none, the CPU is used");
  });
  const auto common = line.parse(argc, argv);
  if (!common) return std::nullopt;
  options.common = *common;
  return options;
}

// s.
double maxWalltime(const SolverOptions& options) {
  double seconds = 0.0;
  try {
    seconds = parseQuantity(*options.maxWalltime, Dimension::Time);
  } catch (const StageError& error) {
    fail(ExitCode::Usage, std::string("--max-walltime: ") + error.what());
  }
  if (!(seconds >= 1.0 && seconds <= 1e9))
    fail(ExitCode::Usage, "--max-walltime was given \"" + *options.maxWalltime +
                              "\", expected is a time of at least 1 s");
  return seconds;
}

void checkCertify(const SolverOptions& options) {
  if (*options.certify < 1)
    fail(ExitCode::Usage,
         "--certify was given " + std::to_string(*options.certify) + ", expected is at least 1");
  if (!options.bench.empty() || options.common.plan || !options.common.output.empty() ||
      options.resume || options.steps || options.maxWalltime)
    fail(ExitCode::Usage,
         "--certify makes two short runs of its own and keeps neither; leave out --bench, --plan, "
         "-o, --resume, --steps and --max-walltime");
}

void checkRanks(const SolverOptions& options) {
  if (!options.common.plan)
    fail(ExitCode::Usage,
         "--ranks is for --plan, which foretells a run on several; leave it out, or add --plan");
  if (*options.ranks < 1 || *options.ranks > 1'000'000)
    fail(ExitCode::Usage,
         "--ranks was given " + std::to_string(*options.ranks) + ", expected is from 1 to 1000000");
}

void checkCombination(const SolverOptions& options) {
  if (options.ranks) checkRanks(options);
  if (options.certify) checkCertify(options);
  if (!options.bench.empty()) {
    if (options.common.plan || !options.common.report.empty() || !options.common.output.empty())
      fail(ExitCode::Usage,
           "--bench prints its measurement and writes nothing; leave out --plan, "
           "--report and -o");
    if (options.initial || options.resume || options.maxWalltime)
      fail(ExitCode::Usage,
           "--bench starts from its own state; leave out --initial, --resume and --max-walltime");
    return;
  }
  if (options.common.caseFile.empty())
    fail(ExitCode::Usage, "a run needs --case FILE.toml, which says what flows and what drives it");
  if (options.common.output.empty() && !options.common.plan && !options.certify)
    fail(ExitCode::Usage, "a run needs -o OUTPUT, for instance -o run.fields");
  if (options.maxWalltime) (void)maxWalltime(options);
  if (options.steps && *options.steps < 1)
    fail(ExitCode::Usage,
         "--steps was given " + std::to_string(*options.steps) + ", expected is at least 1");
}

SolverCase effectiveCase(const CaseFile& file, const SolverOptions& options,
                         const TiledGeometry& geometry) {
  SolverCase run = readSolverCase(file, geometry);
  if (options.precision) run.precision = *options.precision;
  if (!options.state.empty()) run.state = options.state;
  run.copies = options.copies;
  if (options.steps) run.steps = static_cast<std::uint64_t>(*options.steps);
  return run;
}

// Of "run.fields" it is "run"; of "tau-0.6" all of it, or "tau-0.7" would have the same.
std::filesystem::path stemOf(std::filesystem::path output) {
  return output.extension() == ".fields" ? output.replace_extension() : output;
}

RunFiles sideFiles(const SolverOptions& options, const CaseFile& file) {
  const std::filesystem::path stem = stemOf(options.common.output);
  return {stem.string() + ".monitor.csv", stem.string() + ".ckpt", stem,
          options.common.inputs.front().filename().string(), file.content()};
}

// A run replaces its monitor and removes its checkpoints when it is done.
void refuseOverwritingBeside(const SolverOptions& options) {
  if (options.common.output.empty()) return;
  const std::string stem = stemOf(options.common.output).string();
  std::vector<std::filesystem::path> others = options.common.inputs;
  others.insert(others.end(), {options.common.caseFile, options.common.report,
                               std::filesystem::path(options.initial.value_or(""))});
  refuseOverwriting({stem + ".monitor.csv", stem + ".ckpt", stem + ".ckpt.prev"}, others);
}

// The fields of --initial, checked; their hash goes into the case.
std::optional<Fields> readInitial(const SolverOptions& options, const TilesFile& tiles,
                                  SolverCase& run, Ranks& ranks = noOthers(),
                                  const RankPart& part = {}) {
  if (!options.initial) return std::nullopt;
  Fields fields = readInitialFields(*options.initial, tiles, part, ranks);
  run.initialHash = fields.contentHash;
  logInfo("starting from " + *options.initial + ", its step " + std::to_string(fields.step) +
          " at " + formatQuantity(fields.time, Dimension::Time) +
          ": the openings drive it from the first step, without a ramp");
  return fields;
}

Provenance provenanceOf(const SolverOptions& options, const TilesFile& tiles, const CaseFile& file,
                        const Setup& setup) {
  Provenance provenance = newProvenance(program);
  provenance.options = {{"variant", setup.variant->name()},
                        {"backend", setup.backend == BackendKind::Cuda ? "cuda" : "cpu"},
                        {"steps", std::to_string(setup.run.steps)}};
  const std::string& text = file.content();
  provenance.inputs = {{options.common.inputs.front().filename().string(), tiles.contentHash},
                       {std::filesystem::path(file.name()).filename().string(),
                        hashBytes(text.data(), text.size())}};
  if (options.initial)
    provenance.inputs.push_back(
        {std::filesystem::path(*options.initial).filename().string(), setup.run.initialHash});
  for (const OpeningCondition& condition : setup.run.openings)
    if (condition.waveform)
      provenance.inputs.push_back({condition.waveform->name, condition.waveform->hash});
  provenance.history = tiles.provenance.toJson();
  return provenance;
}

void writeResults(const SolverOptions& options, const TilesFile& tiles, const RunFiles& files,
                  Simulation& simulation, const RunResult& result, const Provenance& provenance) {
  const Fields fields = simulation.fields(result, files, result.monitor, provenance);
  Ranks& ranks = *simulation.setup().ranks;
  onRoot(ranks, [&] {
    if (!options.common.report.empty())
      writeSolverReport(options.common.report, simulation.setup(), result, tiles.geometry);
  });
  simulation.writeFields(options.common.output, fields);
  onRoot(ranks, [&] {
    std::cout << resultText(simulation.setup(), result, tiles.geometry);
    const SolverCase& did = simulation.setup().run;
    if (result.converged || (!did.converged && did.pulse.period <= 0.0))
      removeCheckpoints(files.checkpoint);
  });
}

StopRequests stopRequests(const SolverOptions& options) {
  StopRequests requests(askedToStop);
  requests.file = options.common.output.parent_path() / "STOP";
  if (options.maxWalltime)
    requests.endBy(started + std::chrono::duration_cast<StopRequests::Clock::duration>(
                                 std::chrono::duration<double>(maxWalltime(options))),
                   "--max-walltime");
  if (const auto end = endOfBatchJob()) requests.endBy(*end, "the batch job");
  return requests;
}

std::string ranksText(const SolverOptions& options, const TiledGeometry& geometry,
                      const Setup& setup) {
  const VariantInfo& variant = *setup.variant;
  const PlannedState state{{variant.storesMoments(), variant.stateValues, variant.storageBytes},
                           variant.lattice.velocities,
                           !setup.walls.links.empty(),
                           setup.copies};
  return rankPlanText(geometry, state, static_cast<int>(*options.ranks));
}

int solve(const SolverOptions& options, Ranks& ranks) {
  const CaseFile file = CaseFile::load(options.common.caseFile);
  // Which tiles a rank steps depends on the case.
  requireSameFile(ranks, options.common.caseFile,
                  toHex(hash128(std::as_bytes(std::span(file.content())))));
  LoadedPart loaded =
      loadPart(options.common.inputs.front(), ranks,
               costsOfCase(file, options.precision.value_or(std::string()), options.state));
  const TilesFile& tiles = loaded.tiles;
  SolverCase run = effectiveCase(file, options, tiles.geometry);
  std::optional<Fields> initial = readInitial(options, tiles, run, ranks, loaded.part);
  Setup setup =
      prepare(tiles.geometry, std::move(run), options.backend, ranks, std::move(loaded.part));
  if (options.common.plan) {
    if (ranks.isRoot()) std::cout << planText(setup, tiles.geometry);
    if (options.ranks) std::cout << ranksText(options, tiles.geometry, setup);
    if (ranks.isRoot()) std::cout << "plan         nothing was written\n";
    if (!options.ranks) checkMemory(setup);
    return 0;
  }
  checkMemory(setup);
  logInfo(planText(setup, tiles.geometry));
  const Provenance provenance = provenanceOf(options, tiles, file, setup);
  Simulation simulation(tiles, std::move(setup));
  if (initial) simulation.startFrom(*initial);
  initial.reset();
  const RunFiles files = sideFiles(options, file);
  const RunResult result = simulation.run(files, options.resume, stopRequests(options), provenance);
  if (result.stopped) {
    logInfo("stopped by " + result.stoppedBy + ": step " + std::to_string(result.step) +
            " is kept in " + files.checkpoint.string() + "; run the same command with --resume");
    return static_cast<int>(ExitCode::Checkpointed);
  }
  writeResults(options, tiles, files, simulation, result, provenance);
  return 0;
}

int certifyPrecision(const SolverOptions& options) {
  const CaseFile file = CaseFile::load(options.common.caseFile);
  const TilesFile tiles = readTilesFile(options.common.inputs.front());
  SolverCase run = effectiveCase(file, options, tiles.geometry);
  const std::optional<Fields> initial = readInitial(options, tiles, run);
  const Certificate certificate =
      certify(tiles, run, options.backend, static_cast<std::uint64_t>(*options.certify),
              initial ? &*initial : nullptr);
  if (!options.common.report.empty()) writeCertificate(options.common.report, certificate);
  std::cout << certificateText(certificate);
  return 0;
}

int bench(const SolverOptions& options, Ranks& ranks) {
  const std::filesystem::path& input = options.common.inputs.front();
  const std::optional<BuiltIn> builtIn =
      std::filesystem::exists(input) ? std::nullopt : builtInNamed(input.string());
  TilesFile tiles = builtIn ? builtInTiles(*builtIn) : readTilesFile(input);
  const std::string text = runBench(options.bench, std::move(tiles), options.backend,
                                    options.precision, options.copies, ranks);
  if (ranks.isRoot()) std::cout << text;
  return 0;
}

// The processors of a host are shared out, unless each rank was bound to some of its own.
void applyOptions(CommonOptions common, Ranks& ranks) {
  std::int64_t onHost = 1;
  ranks.sumOnHost({&onHost, 1});
  const int free = tbb::info::default_concurrency();
  if (onHost > 1 && common.threads == 0 && free >= ::sysconf(_SC_NPROCESSORS_ONLN))
    common.threads = std::max(1, free / static_cast<int>(onHost));
  applyCommonOptions(common);
  if (!ranks.isRoot()) setVerbosity(Verbosity::Silent);
}

void onSignals(void (*handler)(int)) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, handler);
}

int runOn(Ranks& ranks, int argc, char** argv) {
  const std::optional<SolverOptions> options = parseCommandLine(argc, argv);
  if (!options) return 0;
  const Provenance own = newProvenance(program);
  requireSame(ranks, own.version + " " + own.gitHash + " " + own.build, "builds");
  applyOptions(options->common, ranks);
  checkCombination(*options);
  onRoot(ranks, [&] {
    refuseOverwritingBeside(*options);
    CommonOptions common = options->common;
    if (options->initial) common.inputs.emplace_back(*options->initial);
    checkTargets(common);
  });
  if (!ranks.alone() && options->certify)
    fail(ExitCode::Usage, "--certify is for one process, found are " +
                              std::to_string(ranks.size()) + " ranks; start one");
  if (!ranks.alone() && options->ranks)
    fail(ExitCode::Usage, "--ranks foretells several from one process, found are " +
                              std::to_string(ranks.size()) + "; start one, or leave it out");
  if (!options->certify && options->bench.empty()) return solve(*options, ranks);
  onSignals(SIG_DFL);  // nothing to keep
  return options->certify ? certifyPrecision(*options) : bench(*options, ranks);
}

int run(int argc, char** argv) {
  onSignals(onSignal);  // before ranks find each other, which takes a while
  const std::unique_ptr<Ranks> ranks = launchedRanks();
  return runTogether(*ranks, program, [&] { return runOn(*ranks, argc, argv); });
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] { return run(argc, argv); });
}
