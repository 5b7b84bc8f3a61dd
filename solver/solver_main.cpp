// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-solver: geom.tiles and a case to run.fields.
#include <tbb/info.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <iostream>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/bench.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/certify.hpp"
#include "solver/bench/scaling.hpp"
#include "solver/bench/stored_speeds.hpp"
#include "solver/bench/structure_table.hpp"
#include "solver/boundary/symmetry.hpp"
#include "solver/case/flow_plan.hpp"
#include "solver/case/reference_point.hpp"
#include "solver/case/wall_openings.hpp"
#include "solver/check_case.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/model/built_variants.hpp"
#include "solver/run/initial_state.hpp"
#include "solver/run/load_part.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/physics.hpp"
#include "solver/run/time_loop.hpp"
#include "solver/run_plan.hpp"
#include "solver/solver_options.hpp"
#include "solver/solver_report.hpp"
#include "tiler/analysis/resolution_error.hpp"

using namespace tessera;
using namespace tessera::solver;

using solver::cases::SolverCase;
using solver::comm::Ranks;
using solver::file::Fields;
using solver::run::RunFiles;
using solver::run::Setup;
using solver::run::StopRequests;
using stage::CaseFile;
using stage::ExitCode;
using stage::fail;
using stage::Provenance;
using tiler::file::TilesFile;

namespace {

constexpr const char* program = "tessera-solver";

std::atomic<bool> askedToStop{false};
const StopRequests::Clock::time_point started = StopRequests::Clock::now();  // of the program

// The first signal asks for a checkpoint; a second SIGINT quits at once.
extern "C" void onSignal(int signal) {
  askedToStop.store(true);
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

SolverCase effectiveCase(const CaseFile& file, const SolverOptions& options,
                         const tiler::TiledGeometry& geometry) {
  SolverCase run = cases::readSolverCase(file, geometry);
  if (options.precision) run.precision = model::builtId<model::PrecisionId>(*options.precision);
  if (!options.state.empty()) cases::setState(options.state, run);
  if (options.copies != "auto") run.copies = options.copies;
  if (options.steps) run.steps = static_cast<std::uint64_t>(*options.steps);
  return run;
}

RunFiles filesOf(const SolverOptions& options, const CaseFile& file) {
  RunFiles files = run::runFilesOf(options.common.output);
  files.tilesName = options.common.inputs.front().filename().string();
  files.caseText = file.content();
  return files;
}

// A run replaces its monitor, removes its checkpoints when it is done, and may leave intermediate
// output.
void refuseOverwritingInputs(const SolverOptions& options) {
  if (options.common.output.empty()) return;
  const RunFiles files = run::runFilesOf(options.common.output);
  std::vector<std::filesystem::path> others = options.common.inputs;
  others.insert(others.end(), {options.common.caseFile, options.common.report,
                               std::filesystem::path(options.initial.value_or(""))});
  if (options.initial && files.isIntermediate(*options.initial))
    fail(ExitCode::Usage, *options.initial +
                              " has the name of intermediate output that this run may write; name "
                              "another output.");
  std::vector<std::filesystem::path> written = files.sideFiles();
  if (options.common.report.empty()) written.push_back(files.report);
  stage::refuseOverwriting(written, others);
  stage::requireRegular(written);
  stage::requireRegular(files.earlierIntermediates());
}

// The fields of --initial, checked; their hash goes into the case.
std::optional<Fields> readInitial(const SolverOptions& options, const TilesFile& tiles,
                                  SolverCase& run, Ranks& ranks = comm::noOthers(),
                                  const tiles::RankPart& part = {}) {
  if (!options.initial) return std::nullopt;
  if (run.initialField)
    fail(ExitCode::Usage, "--initial and [initial] both set the start; leave one of them out");
  Fields fields = run::readInitialFields(*options.initial, tiles, part, ranks);
  run.initialHash = fields.contentHash;
  stage::logInfo(fmt::format(
      "starting from {}, its step {} at {}: the openings drive it from the first "
      "step, without a ramp",
      *options.initial, fields.step, stage::formatQuantity(fields.time, stage::Dimension::Time)));
  return fields;
}

Provenance provenanceOf(const SolverOptions& options, const TilesFile& tiles, const CaseFile& file,
                        const Setup& setup) {
  Provenance provenance = stage::newProvenance(program);
  provenance.options = {{"variant", setup.variant->name()},
                        {"backend", setup.backend == run::BackendKind::Cuda ? "cuda" : "cpu"},
                        {"steps", std::to_string(setup.run.steps)}};
  const std::string& text = file.content();
  provenance.inputs = {{options.common.inputs.front().filename().string(), tiles.contentHash},
                       {std::filesystem::path(file.name()).filename().string(),
                        stage::hashBytes(text.data(), text.size())}};
  if (options.initial)
    provenance.inputs.push_back(
        {std::filesystem::path(*options.initial).filename().string(), setup.run.initialHash});
  for (const boundary::Condition& condition : setup.run.openings) {
    const boundary::Prescription given = boundary::prescriptionOf(condition);
    if (given.series && given.series->hash != given.fileHash)
      provenance.inputs.push_back({given.series->name, given.series->hash});
    if (!given.file.empty()) provenance.inputs.push_back({given.file, given.fileHash});
  }
  provenance.history = tiles.provenance.steps();
  return provenance;
}

// The report that was asked for, or the one next to the fields, which has what they cannot hold
// since they are the same bytes each time: run time, machine and date.
void writeReport(const SolverOptions& options, const TilesFile& tiles, const RunFiles& files,
                 const Setup& setup, const run::RunResult& result, const RunPlan& plan) {
  const std::filesystem::path& asked = options.common.report;
  try {
    writeSolverReport(asked.empty() ? files.report : asked, setup, result, tiles.geometry, plan,
                      file::fieldsHash(files.fields));
  } catch (const stage::StageError& error) {
    const std::string text =
        stage::withoutStop(error.what()) + "; the results are in " + files.fields.string();
    if (!asked.empty()) fail(error.code(), text);
    stage::logWarning(text);
  }
}

// Results of a run whose fields are written. Its checkpoints stay until nothing more can fail.
void reportResults(const SolverOptions& options, const TilesFile& tiles, const RunFiles& files,
                   const Setup& setup, const run::RunResult& result, const RunPlan& plan) {
  std::cout << resultText(setup, result, tiles.geometry);
  writeReport(options, tiles, files, setup, result, plan);
  const SolverCase& did = setup.run;
  if (result.converged || (!did.converged && did.pulse.period <= 0.0))
    file::removeCheckpoints(files.checkpoint);
}

// A failed report is a warning; only the checkpoint is essential.
void reportStop(const SolverOptions& options, const run::Simulation& simulation,
                const run::RunResult& result, const RunFiles& files,
                const tiler::TiledGeometry& geometry, std::future<RunPlan> plan) {
  // The checkpoint is of the last step made, fields would be of the next.
  stage::logInfo(
      fmt::format("stopped by {}: step {} is kept in {}; run the same command with --resume",
                  result.stoppedBy, result.step - 1, files.checkpoint.string()));
  if (options.common.report.empty() || !simulation.setup().ranks->isRoot()) return;
  try {
    writeSolverReport(options.common.report, simulation.setup(), result, geometry, plan.get(), "");
  } catch (const std::exception& error) {
    stage::logWarning(error.what());
  }
}

StopRequests stopRequests(const SolverOptions& options) {
  StopRequests requests(askedToStop);
  requests.file = options.common.output.parent_path() / "STOP";
  if (options.maxWalltime)
    requests.endBy(started + std::chrono::duration_cast<StopRequests::Clock::duration>(
                                 std::chrono::duration<double>(maxWalltime(options))),
                   "--max-walltime");
  if (const auto end = run::endOfBatchJob()) requests.endBy(*end, "the batch job");
  return requests;
}

std::string ranksText(const SolverOptions& options, const tiler::TiledGeometry& geometry,
                      const Setup& setup) {
  const backend::VariantInfo& variant = *setup.variant;
  const bench::PlannedState state{
      {variant.storesMoments(), variant.storedWords, variant.storageBytes},
      variant.lattice.velocities,
      !setup.walls.links.empty(),
      setup.copies};
  return bench::rankPlanText(geometry, state, static_cast<int>(*options.ranks));
}

std::string structuresText(const TilesFile& tiles, const Setup& setup) {
  const backend::VariantInfo& variant = *setup.variant;
  const bool stored = variant.axes.precision == model::PrecisionId::F64 ||
                      variant.axes.precision == model::PrecisionId::F32;
  if (variant.axes.lattice != comparators::latticeOf(tiles.geometry) || !stored)
    fail(ExitCode::Usage, "--structures compares D3Q19 and D2Q9 in f64 and f32; this run is " +
                              variant.name() + "; leave it out, or change the case");
  const bool cuda = setup.backend == run::BackendKind::Cuda;
  const bool plain = setup.order.openingLinks.empty() && setup.order.copies.empty();
  const std::vector<bench::StructurePlan> plans = bench::planStructures(
      bench::withoutOpenings(tiles).geometry, {variant.storageBytes, cuda, cuda && plain});
  return bench::structureText(
      plans, tiles.geometry.fluidNodes,
      bench::expectedBandwidth(bench::readSpeeds(bench::speedsFile()), cuda), cuda);
}

// Flow between the openings. One process finds it in another thread, while the run is prepared;
// several find it together when it is asked for. geometry and ranks must outlive it.
std::future<cases::NetworkFlow> networkOf(const SolverCase& run,
                                          const tiler::TiledGeometry& geometry, Ranks& ranks) {
  return inThread(ranks.alone(), [run, &geometry, &ranks] {
    return cases::networkFlow(run, geometry, cases::cellsOfPlan, ranks);
  });
}

int solve(const SolverOptions& options, Ranks& ranks) {
  const CaseFile file = CaseFile::load(options.common.caseFile);
  // Which tiles a rank steps depends on the case.
  stage::requireSameFile(ranks, options.common.caseFile,
                         stage::toHex(stage::hash128(std::as_bytes(std::span(file.content())))));
  run::LoadedPart loaded = run::loadPart(
      options.common.inputs.front(), ranks,
      run::costsOfCase(file, options.precision.value_or(std::string()), options.state));
  const TilesFile& tiles = loaded.tiles;
  SolverCase run;
  stage::together(ranks, [&] { run = effectiveCase(file, options, tiles.geometry); });
  if (options.resume) run::keepState(run::runFilesOf(options.common.output).checkpoint, ranks, run);
  cases::checkReferencePoint(file, tiles.geometry, ranks);
  cases::checkProbes(file, tiles.geometry, ranks);
  cases::closeWallOpenings(run, loaded.tiles.geometry);
  boundary::continueBeyondPlanes(run.wallConditions, loaded.tiles.geometry);
  std::optional<Fields> initial = readInitial(options, tiles, run, ranks, loaded.part);
  std::future<cases::NetworkFlow> network = networkOf(run, tiles.geometry, ranks);
  Setup setup =
      run::prepare(tiles.geometry, std::move(run), options.backend, ranks, std::move(loaded.part));
  const bool smoothed = tiler::analysis::isSmoothed(tiles.provenance.steps());
  if (options.common.plan) {
    const RunPlan plan = planOf(setup, tiles.geometry, smoothed, network.get());
    if (ranks.isRoot()) std::cout << planText(setup, tiles.geometry) << runPlanText(plan, setup);
    if (options.ranks) std::cout << ranksText(options, tiles.geometry, setup);
    if (options.structures) std::cout << structuresText(tiles, setup);
    if (ranks.isRoot()) std::cout << "plan         nothing was written\n";
    if (!options.ranks) run::checkMemory(setup);
    return 0;
  }
  run::checkMemory(setup);
  const Provenance provenance = provenanceOf(options, tiles, file, setup);
  run::Simulation simulation(tiles, std::move(setup));
  const std::string form = simulation.backend().form();
  const std::string heading = planText(simulation.setup(), tiles.geometry) +
                              (form.empty() ? "" : "passes       " + form + "\n");
  stage::logInfo(std::string_view(heading).substr(0, heading.size() - 1));
  std::future<RunPlan> plan =
      planDuringRun(simulation.setup(), tiles.geometry, smoothed, std::move(network));
  if (initial) simulation.startFrom(*initial);
  initial.reset();
  RunFiles files = filesOf(options, file);
  comm::onRoot(ranks,
               [&] { files.openMonitor = std::make_shared<run::OpenMonitor>(files.monitor); });
  const run::RunResult result =
      run::runToEnd(simulation, files, options.resume, stopRequests(options), provenance);
  if (result.stopped) {
    reportStop(options, simulation, result, files, tiles.geometry, std::move(plan));
    return static_cast<int>(ExitCode::Checkpointed);
  }
  comm::onRoot(
      ranks, [&] { reportResults(options, tiles, files, simulation.setup(), result, plan.get()); });
  return 0;
}

int certifyPrecision(const SolverOptions& options) {
  const CaseFile file = CaseFile::load(options.common.caseFile);
  TilesFile tiles = tiler::file::readTilesFile(options.common.inputs.front());
  SolverCase run = effectiveCase(file, options, tiles.geometry);
  cases::closeWallOpenings(run, tiles.geometry);
  boundary::continueBeyondPlanes(run.wallConditions, tiles.geometry);
  const std::optional<Fields> initial = readInitial(options, tiles, run);
  const bench::Certificate certificate =
      bench::certify(tiles, run, options.backend, static_cast<std::uint64_t>(*options.certify),
                     initial ? &*initial : nullptr);
  if (!options.common.report.empty()) bench::writeCertificate(options.common.report, certificate);
  std::cout << bench::certificateText(certificate);
  return 0;
}

int bench(const SolverOptions& options, Ranks& ranks) {
  const std::filesystem::path& input = options.common.inputs.front();
  const std::optional<bench::BuiltIn> builtIn =
      std::filesystem::exists(input) ? std::nullopt : bench::builtInNamed(input.string());
  TilesFile tiles = builtIn ? bench::builtInTiles(*builtIn) : tiler::file::readTilesFile(input);
  const std::string text =
      bench::runBench(options.bench, std::move(tiles), options.backend, options.precision,
                      options.copies, ranks, bench::speedsFile());
  if (ranks.isRoot()) std::cout << text;
  return 0;
}

// The processors of a host are shared out, unless each rank was bound to some of its own.
void applyOptions(stage::CommonOptions common, Ranks& ranks) {
  std::int64_t onHost = 1;
  ranks.sumOnHost({&onHost, 1});
  const int free = tbb::info::default_concurrency();
  if (onHost > 1 && common.threads == 0 && free >= ::sysconf(_SC_NPROCESSORS_ONLN))
    common.threads = std::max(1, free / static_cast<int>(onHost));
  stage::applyCommonOptions(common);
  if (!ranks.isRoot()) stage::setVerbosity(stage::Verbosity::Silent);
}

// Signals by which users, terminals, queues (LSF and Grid Engine send USR2) and limits of CPU time
// ask a run to stop.
void onSignals(void (*handler)(int)) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU})
    std::signal(signal, handler);
  // Started by nohup, a run outlives its terminal.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) std::signal(SIGHUP, handler);
}

int runOn(Ranks& ranks, int argc, char** argv) {
  const std::optional<SolverOptions> options = parseSolverOptions(argc, argv);
  if (!options) return 0;
  const Provenance own = stage::newProvenance(program);
  comm::requireSame(ranks, own.version + " " + own.gitHash + " " + own.build, "builds");
  applyOptions(options->common, ranks);
  checkCombination(*options);
  if (options->check) {
    const auto& inputs = options->common.inputs;
    if (ranks.isRoot())
      std::cout << checkedCase(options->common.caseFile, inputs.empty() ? "" : inputs.front());
    return 0;
  }
  comm::onRoot(ranks, [&] {
    refuseOverwritingInputs(*options);
    stage::CommonOptions common = options->common;
    if (options->initial) common.inputs.emplace_back(*options->initial);
    stage::checkTargets(common);
  });
  if (!ranks.alone() && options->certify)
    fail(ExitCode::Usage,
         fmt::format("--certify runs on one process; {} were started", ranks.size()));
  if (!ranks.alone() && options->ranks)
    fail(ExitCode::Usage,
         fmt::format("--ranks is a single-process prediction, but {} processes were started; run "
                     "it without mpirun",
                     ranks.size()));
  if (!ranks.alone() && options->structures)
    fail(ExitCode::Usage,
         fmt::format("--structures counts on one process, but {} were started; run it without "
                     "mpirun",
                     ranks.size()));
  if (!options->certify && options->bench.empty()) return solve(*options, ranks);
  onSignals(SIG_DFL);  // nothing to keep
  return options->certify ? certifyPrecision(*options) : bench(*options, ranks);
}

int solve(int argc, char** argv) {
  onSignals(onSignal);  // before ranks find each other, which takes a while
  const std::unique_ptr<Ranks> ranks = comm::launchedRanks();
  return comm::runTogether(*ranks, program, [&] { return runOn(*ranks, argc, argv); });
}

}  // namespace

int main(int argc, char** argv) {
  return stage::runStage(program, [&] { return solve(argc, argv); });
}
