// SPDX-License-Identifier: GPL-3.0-or-later
// Memory limits of control groups, from their files.
#include <catch2/catch.hpp>
#include <limits>

#include "pipelines/stage/system/memory.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::stage;

namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

class FakeRoot {
 public:
  explicit FakeRoot(const std::string& groups) {
    std::filesystem::create_directories(folder_ / "proc/self");
    writeWhole(folder_ / "proc/self/cgroup", groups);
  }
  // Numbers in MB, below sys/fs/cgroup.
  void group2(const std::string& name, const std::string& limit, int used, int inactive) const {
    const std::string path = place(name);
    writeWhole(folder_ / (path + "memory.max"), limit + "\n");
    writeWhole(folder_ / (path + "memory.current"), bytes(used));
    writeWhole(folder_ / (path + "memory.stat"),
               "anon 5\nactive_file 7\ninactive_file " + bytes(inactive));
  }
  void group1(const std::string& name, int limit, int used, int inactive) const {
    const std::string path = place(name);
    writeWhole(folder_ / (path + "memory.limit_in_bytes"), bytes(limit));
    writeWhole(folder_ / (path + "memory.usage_in_bytes"), bytes(used));
    writeWhole(folder_ / (path + "memory.stat"),
               "inactive_file 1\ntotal_inactive_file " + bytes(inactive));
  }
  [[nodiscard]] std::uint64_t left() const { return leftInGroups(folder_.path()); }
  static std::string bytes(int megabytes) {
    return std::to_string(static_cast<std::uint64_t>(megabytes) * megabyte) + "\n";
  }

 private:
  [[nodiscard]] std::string place(const std::string& name) const {
    const std::string path = "sys/fs/cgroup/" + name;
    std::filesystem::create_directories(folder_ / path);
    return path + "/";
  }
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("Memory limit: the limit of a job is that of its control group or of one above it",
          "[unit]") {
  const FakeRoot machine("0::/slurm/job_7/step_0\n");
  CHECK(machine.left() == none);
  machine.group2("slurm/job_7/step_0", "max", 100, 0);
  CHECK(machine.left() == none);
  machine.group2("slurm/job_7", "1000000000", 400, 0);
  CHECK(machine.left() == 600 * megabyte);
  machine.group2("slurm/job_7/step_0", "300000000", 100, 0);
  CHECK(machine.left() == 200 * megabyte);
  machine.group2("slurm/job_8", "50000000", 50, 0);  // of somebody else
  CHECK(machine.left() == 200 * megabyte);
  machine.group2("slurm/job_7", "1000000000", 1001, 0);
  CHECK(machine.left() == 0);
}

TEST_CASE("Memory limit: cache that is not in use is available memory", "[unit]") {
  const FakeRoot container("0::/\n");
  container.group2("", "2000000000", 1950, 1890);
  CHECK(container.left() == 1940 * megabyte);
}

TEST_CASE("Memory limit: limits of control groups version 1 apply as well", "[unit]") {
  const FakeRoot machine("5:cpuset:/a\n4:cpuacct,memory:/slurm/job_7\n1:name=systemd:/\n0::/\n");
  CHECK(machine.left() == none);
  machine.group1("memory/slurm/job_7", 1000, 900, 500);
  machine.group1("cpuset/a", 10, 10, 0);
  CHECK(machine.left() == 600 * megabyte);
  machine.group1("memory", 800, 700, 0);  // in a container the mount is the group
  CHECK(machine.left() == 100 * megabyte);
  machine.group2("unified", "80000000", 10, 0);
  CHECK(machine.left() == 70 * megabyte);
}
