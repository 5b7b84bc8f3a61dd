// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/where_ranks_run.hpp"

#include <tbb/global_control.h>

#include <map>
#include <set>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

namespace {

// Logs hosts in one line.
void logHosts(comm::Ranks& ranks) {
  constexpr std::size_t mostNamed = 8;
  const std::string host = comm::hostName().data();
  const std::vector<stage::Message> hosts = ranks.allGather(std::as_bytes(std::span(host)));
  const std::uint64_t threads =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto all = stage::gatherValues(ranks, std::span(&threads, 1));
  struct Sum {
    std::size_t ranks = 0;
    std::uint64_t threads = 0;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    Sum& sum = sums[stage::textOf(hosts[r])];
    ++sum.ranks;
    sum.threads += all[r];
  }
  std::string text;
  std::size_t named = 0;
  for (const auto& [name, sum] : sums)
    if (named++ < mostNamed)
      text += fmt::format("{}{} ({} ranks, {} threads)", text.empty() ? " on " : ", ", name,
                          sum.ranks, sum.threads);
  if (named > mostNamed) text += fmt::format(" and {} more hosts", named - mostNamed);
  stage::logInfo(fmt::format("{} ranks{}, halos by MPI", ranks.size(), text));
}

void takeDevices(int devices, comm::Ranks& ranks) {
  constexpr int mostReported = 16;
  const int number = ranks.rankOnHost() % devices;
  const std::string place = std::string(comm::hostName().data()) + ' ' + useDevice(number);
  const auto device = findDevice();
  const std::string name = device ? device->name : "a device";
  const std::string location =
      fmt::format(" on host and device {}, number {}: {}", place, number, name);
  std::set<std::string> places;
  for (const stage::Message& of : ranks.allGather(std::as_bytes(std::span(place))))
    places.insert(stage::textOf(of));
  int rank = 0;
  for (const stage::Message& of : ranks.allGather(std::as_bytes(std::span(location)))) {
    const std::string line = fmt::format("rank {}{}", rank++, stage::textOf(of));
    ranks.size() <= mostReported ? stage::logInfo(line) : stage::logDetail(line);
  }
  if (places.size() != static_cast<std::size_t>(ranks.size()))
    stage::fail(
        stage::ExitCode::NoResource,
        fmt::format("{} ranks have {} CUDA devices between them; one per rank is required; start "
                    "as many ranks as there are devices, or use --backend cpu",
                    ranks.size(), places.size()));
  stage::logInfo("halos by " + deviceTransport(ranks));
}

}  // namespace

bool chooseDevices(const std::string& backend, bool built, comm::Ranks& ranks) {
  const int devices = backend == "cpu" || !built ? 0 : countDevices();
  const std::uint64_t without = stage::sumOf(ranks, devices == 0 ? 1 : 0);
  if (without == 0) {
    takeDevices(devices, ranks);
    return true;
  }
  if (backend == "cuda")
    stage::fail(stage::ExitCode::NoResource,
                fmt::format("--backend cuda, but {} of {} ranks see no CUDA device; request one "
                            "per rank from the batch "
                            "system, or use --backend cpu",
                            without, ranks.size()));
  logHosts(ranks);
  return false;
}

}  // namespace tessera::solver::backend
