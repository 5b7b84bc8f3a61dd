// SPDX-License-Identifier: GPL-3.0-or-later
// Launch: detects the ranks this process was started with and loads MPI, only for several, from
// libtessera_mpi.so next to the program.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/comm/mpi_module.hpp"

namespace tessera::solver::comm {

using stage::ExitCode;

namespace {

// Launch data in the environment set by mpirun or srun.
struct Launch {
  bool several = false;
  int size = 0;  // 0: unknown
  int rank = 0;
};

int numberIn(const char* name, int without) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : without;
}

Launch launch() {
  // Launchers in order of precedence: OpenMPI's mpirun, MPICH or srun by PMI-2, srun. SLURM_NTASKS
  // alone does not mean srun.
  for (const auto& [size, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
        std::pair("PMI_SIZE", "PMI_RANK"), std::pair("SLURM_STEP_NUM_TASKS", "SLURM_PROCID")})
    if (const int n = numberIn(size, 0); n > 0) return {n > 1, n, numberIn(rank, 0)};
  return {std::getenv("PMIX_RANK") != nullptr, 0, numberIn("PMIX_RANK", 0)};
}

// Prints once: without MPI, ranks cannot agree on who prints. mpirun ends all when the first ends.
[[noreturn]] void refuse(const Launch& launch, ExitCode code, const std::string& sentence) {
  if (launch.rank != 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(static_cast<int>(code));
  }
  stage::fail(code, sentence);
}

double secondsToWait(const Launch& launch) {
  constexpr double usual = 120.0;
  const char* given = std::getenv("TESSERA_WAIT");
  if (given == nullptr) return usual;
  char* end = nullptr;
  const double seconds = std::strtod(given, &end);
  if (end == given || *end != '\0' || !(seconds >= 1.0 && seconds <= 1e9))
    refuse(launch, ExitCode::Usage,
           std::string("TESSERA_WAIT is \"") + given +
               "\", expected the seconds, at least 1, that a rank waits for one that "
               "does not answer");
  return seconds;
}

std::string countText(const Launch& launch) {
  return launch.size > 0 ? fmt::format("{} processes", launch.size) : "several processes";
}

[[noreturn]] void refuseWithoutMpi(const Launch& launch, const std::string& why) {
  refuse(launch, ExitCode::NoResource,
         "started as one of " + countText(launch) + ", but cannot load MPI (" + why +
             "); install the MPI that started it and put libtessera_mpi.so next to the program, or "
             "start one process");
}

std::string loaderError() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason was given";
}

MpiRanksFunction* findModule(const Launch& launch) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (program.parent_path() / "libtessera_mpi.so").string();
  // Global: MPI's plug-ins look up its symbols.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) refuseWithoutMpi(launch, loaderError());
  void* function = dlsym(module, TESSERA_MPI_RANKS_NAME);
  if (function == nullptr) refuseWithoutMpi(launch, path + " is of another build");
  return reinterpret_cast<MpiRanksFunction*>(function);
}

}  // namespace

std::unique_ptr<Ranks> launchedRanks() {
  const Launch started = launch();
  if (!started.several) return noOthers().first(1);
  const double seconds = secondsToWait(started);
  std::string error;
  std::unique_ptr<Ranks> ranks(findModule(started)(seconds, error));
  if (!ranks) refuse(started, ExitCode::NoResource, error);
  if (started.size > 0 && ranks->size() != started.size)
    refuse(
        started, ExitCode::NoResource,
        fmt::format("started as one of {}, but MPI reports {}; start it by the mpirun of the MPI "
                    "it was built with, or by srun with the --mpi that this one needs",
                    countText(started), ranks->size()));
  return ranks;
}

}  // namespace tessera::solver::comm
