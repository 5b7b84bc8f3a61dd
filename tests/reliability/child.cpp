// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/reliability/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "tests/temporary_folder.hpp"

namespace tessera::reliability {

namespace fs = std::filesystem;

namespace {

int codeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void become(const fs::path& folder, const fs::path& said,
                         const std::vector<std::string>& command, const Environment& environment) {
  for (const auto& [name, descriptor] : {std::pair("stdout.txt", 1), std::pair("stderr.txt", 2)})
    ::dup2(::open((said / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
  for (std::string entry : environment) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  if (::chdir(folder.c_str()) != 0) std::_Exit(126);
  const bool isPath = command[0].find('/') != std::string::npos;
  std::string program = isPath ? command[0] : std::string(TESSERA_BIN) + "/" + command[0];
  std::vector<std::string> words = command;
  words[0] = program;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  std::_Exit(127);
}

}  // namespace

Child::Child(const fs::path& folder, const std::vector<std::string>& command,
             const Environment& environment)
    : said_(folder.parent_path()), process_(::fork()) {
  if (process_ == 0) become(folder, said_, command, environment);
}

void Child::signal(int number) const {
  ::kill(process_, number);
}

// Of /proc/N/stat: what follows the name, which may hold anything, is the state and the parent. The
// list in /proc/N/task/N/children is not there on every kernel.
std::vector<pid_t> Child::children() const {
  std::vector<pid_t> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t candidate = std::atoi(entry.path().filename().c_str());
    if (candidate <= 0) continue;
    const std::string told = readWhole(entry.path() / "stat");
    char state = 0;
    pid_t parent = 0;
    const std::size_t name = told.rfind(')');
    if (name == std::string::npos) continue;  // gone meanwhile
    std::istringstream(told.substr(name + 1)) >> state >> parent;
    if (parent == process_ && state != 'Z') all.push_back(candidate);
  }
  return all;
}

int Child::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  return codeOf(status);
}

int Child::waitFor(double seconds) {
  for (const double end = secondsNow() + seconds; secondsNow() < end;) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) return codeOf(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return -1;
}

std::string Child::errors() const {
  return readWhole(said_ / "stderr.txt");
}

void mustRun(const fs::path& folder, const std::vector<std::string>& command) {
  Child child(folder, command);
  const int code = child.wait();
  if (code == 0) return;
  std::fprintf(stderr, "%s ended with %d: %s\n", command[0].c_str(), code, child.errors().c_str());
  std::exit(1);
}

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t temporaryFiles(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    count += entry.path().extension() == ".part" ? 1 : 0;
  return count;
}

void prepareTube(const fs::path& folder, int across, const std::string& checkpointEvery) {
  mustRun(folder, {"tessera-sample", "tube", "--quiet", "--diameter", "2 mm", "--length", "6 mm",
                   "-o", "tube.stl"});
  mustRun(folder, {"tessera-preprocess", "tube.stl", "--quiet", "--unit", "mm", "--across",
                   std::to_string(across), "-o", "tube.vdb"});
  mustRun(folder, {"tessera-tiler", "tube.vdb", "--quiet", "-o", "tube.tiles"});
  const std::string fluid =
      "[fluid]\ndensity = 1000\nviscosity = \"4e-3 Pa.s\"\n"
      "[solver]\nvelocity_scale = 0.05\nwalls = \"single-node\"\n";
  const std::string output =
      "[output]\nmonitor_every = 7\ncheckpoint_every = \"" + checkpointEvery + "\"\n";
  writeWhole(folder / "inlet.csv", "time[s],velocity[m/s]\n0,0\n0.01,0.06\n0.02,0.02\n0.03,0\n");
  writeWhole(folder / "pulse.toml",
             fluid +
                 "[[opening]]\nid = 1\nkind = \"velocity\"\nwaveform = \"inlet.csv\"\n"
                 "periodic = true\nperiod = \"30 ms\"\n"
                 "[[opening]]\nid = 2\nkind = \"windkessel\"\nresistance_proximal = 1e8\n"
                 "compliance = 1e-11\nresistance_distal = 1e9\n"
                 "[time]\nperiod = \"30 ms\"\ncycles = 2\ncycle_converged = 0\nphases = 3\n" +
                 output);
  writeWhole(folder / "steady.toml",
             fluid +
                 "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.05 m/s\"\n"
                 "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n[stop]\nsteps = 1500\n" +
                 output);
}

}  // namespace tessera::reliability
