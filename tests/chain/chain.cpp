// SPDX-License-Identifier: GPL-3.0-or-later
// Running the real programs in a folder of their own.
#include "tests/chain/chain.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tessera::chain {
namespace fs = std::filesystem;

std::string readWhole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

WorkFolder::WorkFolder() {
  std::string name = (fs::temp_directory_path() / "tessera-chain-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> WorkFolder::names() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder_))
    found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

void WorkFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

Outcome WorkFolder::run(const std::string& command) const {
  // What the command says is kept outside the folder, so that the folder holds only its files.
  const std::string said = folder_.string() + ".said";
  const std::string line = "cd " + folder_.string() +
                           " && unset MAKEFLAGS MAKELEVEL && PATH=" TESSERA_BIN ":$PATH && ( " +
                           command + " ) >" + said + ".out 2>" + said + ".err </dev/null";
  const int status = std::system(line.c_str());
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.output = readWhole(said + ".out");
  outcome.errors = readWhole(said + ".err");
  fs::remove(said + ".out");
  fs::remove(said + ".err");
  return outcome;
}

Outcome WorkFolder::mustRun(const std::string& command) const {
  Outcome outcome = run(command);
  INFO(command << "\n" << outcome.output << outcome.errors);
  REQUIRE(outcome.code == 0);
  return outcome;
}

void checkRefused(const WorkFolder& work, const std::string& command, int code,
                  const std::string& words) {
  const auto before = work.names();
  const Outcome outcome = work.run(command);
  INFO(command << "\n" << outcome.errors);
  CHECK(outcome.code == code);
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  CHECK_THAT(outcome.errors, Catch::StartsWith(command.substr(0, command.find(' ')) + ": "));
  CHECK_THAT(outcome.errors, Catch::Contains(words));
  CHECK(work.names() == before);
}

nlohmann::json WorkFolder::json(const std::string& name) const {
  return nlohmann::json::parse(readWhole(path(name)));
}

}  // namespace tessera::chain
