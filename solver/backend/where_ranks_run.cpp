// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/where_ranks_run.hpp"

#include <tbb/global_control.h>

#include <map>
#include <set>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/comm/host_name.hpp"

namespace tessera::solver::backend {

namespace {

// In one line.
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
      text += (text.empty() ? " on " : ", ") + name + " (" + std::to_string(sum.ranks) +
              " ranks, " + std::to_string(sum.threads) + " threads)";
  if (named > mostNamed) text += " and " + std::to_string(named - mostNamed) + " more hosts";
  stage::logInfo(std::to_string(ranks.size()) + " ranks" + text + ", halos by MPI");
}

void takeDevices(int devices, comm::Ranks& ranks) {
  constexpr int mostTold = 16;
  const int number = ranks.rankOnHost() % devices;
  const std::string place = std::string(comm::hostName().data()) + ' ' + useDevice(number);
  const auto device = findDevice();
  const std::string name = device ? device->name : "a device";
  const std::string told =
      " on host and device " + place + ", number " + std::to_string(number) + ": " + name;
  std::set<std::string> places;
  for (const stage::Message& of : ranks.allGather(std::as_bytes(std::span(place))))
    places.insert(stage::textOf(of));
  int rank = 0;
  for (const stage::Message& of : ranks.allGather(std::as_bytes(std::span(told)))) {
    const std::string line = "rank " + std::to_string(rank++) + stage::textOf(of);
    ranks.size() <= mostTold ? stage::logInfo(line) : stage::logDetail(line);
  }
  if (places.size() != static_cast<std::size_t>(ranks.size()))
    stage::fail(
        stage::ExitCode::NoResource,
        std::to_string(ranks.size()) + " ranks have " + std::to_string(places.size()) +
            " CUDA devices between them, expected is one a rank; start as many ranks as there are "
            "devices, or use --backend cpu");
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
    stage::fail(
        stage::ExitCode::NoResource,
        "--backend cuda, but " + std::to_string(without) + " of " + std::to_string(ranks.size()) +
            " ranks see no CUDA device; ask the batch system for one a rank, or use --backend "
            "cpu");
  logHosts(ranks);
  return false;
}

}  // namespace tessera::solver::backend
