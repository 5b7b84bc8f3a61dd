// SPDX-License-Identifier: GPL-3.0-or-later
// Stencils of pressure links on the emulated GPU: four lanes find the sums of a link with the bits
// of one thread.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "solver/backend/gpu/openings.cuh"
#include "solver/model/variant_types.hpp"

using namespace tessera::solver;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;

namespace {

using Case = model::Variant<model::D3Q19, model::Trt, model::QuasiCompressible,
                            model::ConstantViscosity, model::F64, model::AlignedTiling>;
using At = AtOpening<double>;

// Links of up to 45 entries, and some without any.
OpeningStencils someStencils(std::uint32_t links, std::uint32_t nodes) {
  std::mt19937 engine(5);
  const auto value = [&] { return static_cast<float>(engine()) / 4294967296.0F - 0.5F; };
  OpeningStencils out;
  out.nodes.resize(nodes);
  for (std::uint32_t k = 0; k < links; ++k) {
    const auto count = static_cast<std::uint32_t>(k % 7 == 3 ? 0 : engine() % 46);
    out.links.push_back({static_cast<std::uint32_t>(out.entries.size()),
                         count,
                         value(),
                         {value(), value(), value()},
                         {value(), value(), value()}});
    for (std::uint32_t e = 0; e < count; ++e)
      out.entries.push_back({static_cast<std::uint32_t>(engine() % nodes),
                             value(),
                             value(),
                             value(),
                             {value(), value()}});
  }
  return out;
}

std::vector<StencilNode> someValues(std::uint32_t nodes) {
  std::mt19937 engine(7);
  const auto value = [&] { return static_cast<double>(engine()) / 4294967296.0 - 0.5; };
  std::vector<StencilNode> out(nodes);
  for (StencilNode& node : out) node = {value(), {value(), value(), value()}};
  return out;
}

__global__ void sumByLanes(StencilValues stencils, std::uint32_t count, At* sums) {
  const LinkOfLane lane(blockIdx.x * blockDim.x + threadIdx.x, stencils);
  const bool has = lane.link < count;
  const At at = atOpeningOfTeam<Case>(has, lane.link, lane.share, stencils);
  if (has && lane.share == 0) sums[lane.link] = at;
}

bool same(const At& a, const At& b) {
  bool equal = a.r == b.r && a.gain == b.gain && a.slopes == b.slopes && a.bend == b.bend;
  for (int k = 0; k < 3; ++k)
    equal = equal && a.change[k] == b.change[k] && a.normal[k] == b.normal[k];
  return equal;
}

}  // namespace

TEST_CASE("Stencils: four lanes find the sums of a link with the bits of one thread", "[unit]") {
  constexpr std::uint32_t links = 203, nodes = 60, threads = 128;
  const OpeningStencils stencils = someStencils(links, nodes);
  const std::vector<StencilNode> values = someValues(nodes);
  const StencilValues alone{stencils.links.data(), stencils.entries.data(), values.data()};
  const OpeningStencils moved = sideBySide(stencils, linksOfTeam(true));
  const DeviceArray<LinkStencil> movedLinks(moved.links);
  const DeviceArray<StencilEntry> movedEntries(moved.entries);
  const DeviceArray<StencilNode> nodeValues(values);
  const DeviceArray<At> sums(links);
  const StencilValues together{movedLinks.data(), movedEntries.data(), nodeValues.data(),
                               linksOfTeam(true)};
  const std::uint32_t all = threadsOfLinks(links, true);
  launchKernel(&sumByLanes, {(all + threads - 1) / threads, threads}, defaultStream, together,
               links, sums.data());
  finishGpu("sums");
  std::vector<At> found;
  sums.download(found, links);
  std::size_t different = 0, zeros = 0;
  for (std::uint32_t k = 0; k < links; ++k) {
    different += same(found[k], atOpening<Case>(k, alone)) ? 0U : 1U;
    zeros += found[k].r == 0.0 ? 1U : 0U;
  }
  CHECK(different == 0);
  CHECK(zeros > links / 10);
  CHECK(zeros < links / 4);
}
