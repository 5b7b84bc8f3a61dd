// SPDX-License-Identifier: GPL-3.0-or-later
// The real programs as children that can be killed, in a folder of their own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::reliability {

// NAME=VALUE of the environment, besides that of this program.
using Environment = std::vector<std::string>;

class Child {
 public:
  // command[0]: a program of this build, or the path of another. What it says on stderr goes to
  // stderr.txt, on stdout to stdout.txt in the folder above.
  Child(const std::filesystem::path& folder, const std::vector<std::string>& command,
        const Environment& environment = {});
  void signal(int number) const;
  // Processes that it started and that are still there.
  [[nodiscard]] std::vector<pid_t> children() const;
  // Exit code; 128 + n when killed by signal n.
  int wait();
  // The same if it has ended by then, -1 if not. s.
  int waitFor(double seconds);
  [[nodiscard]] std::string errors() const;

 private:
  std::filesystem::path said_;
  pid_t process_ = -1;
};

// wait() of such a child, which must be 0; otherwise ends this program with what the child said.
void mustRun(const std::filesystem::path& folder, const std::vector<std::string>& command);

double secondsNow();

// Names of temporary files in a folder.
std::size_t temporaryFiles(const std::filesystem::path& folder);

// A tube with a pulsatile inlet, a Windkessel at its end, interpolated walls and a recorded cycle
// (pulse.toml), and with a steady one (steady.toml): tube.tiles and the cases in the folder.
// checkpointEvery: as the case's key.
void prepareTube(const std::filesystem::path& folder, int across,
                 const std::string& checkpointEvery);

}  // namespace tessera::reliability
