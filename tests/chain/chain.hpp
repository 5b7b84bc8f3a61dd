// SPDX-License-Identifier: GPL-3.0-or-later
// What the chain's tests share: running the real programs as a user does, in a folder of their own.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::chain {

struct Outcome {
  int code = -1;       // exit code; 128 + n when killed by signal n
  std::string output;  // stdout
  std::string errors;  // stderr
};

// A folder that is there as long as the object is.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  // Names of everything in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  void write(const std::string& name, const std::string& content) const;
  // Runs a shell command in the folder; the programs are on its PATH.
  [[nodiscard]] Outcome run(const std::string& command) const;
  // The same, and the test fails with what the command said when it does not exit with 0.
  Outcome mustRun(const std::string& command) const;
  [[nodiscard]] nlohmann::json json(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

// Runs the command, which begins with the program, and checks that it ends with the code and one
// line on stderr that begins with the program's name and has the words in it, and that it leaves no
// file behind nor takes one away.
void checkRefused(const WorkFolder& work, const std::string& command, int code,
                  const std::string& words);

std::string readWhole(const std::filesystem::path& path);

}  // namespace tessera::chain
