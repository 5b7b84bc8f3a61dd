// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/comparators/structure_flows.hpp"

#include <algorithm>
#include <cmath>

#include "solver/backend/registry.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/model/stored_values.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::domain;

TilesFile vessel(int scale) {
  const Int3 size{16 * scale, 12 * scale, 12 * scale};
  return imageGeometry(size,
                       [=](int x, int y, int z) {
                         const double angle = 6.283185307179586 * x / size[0];
                         const double dy = y - (5.6 + 1.1 * std::sin(angle)) * scale;
                         const double dz = z - (5.4 + 0.9 * std::cos(angle)) * scale;
                         return dy * dy + dz * dz < 17.0 * scale * scale;
                       },
                       {true, false, false}, {}, 1e-4, {0, 2, 1});
}

TilesFile spheres(int scale) {
  const Int3 size{12 * scale, 12 * scale, 12 * scale};
  const std::vector<Ball> balls{
      {{3.2, 4.1, 2.5}, 4.0}, {{8.6, 7.7, 6.2}, 4.4}, {{2.1, 10.2, 9.4}, 3.1}};
  return imageGeometry(
      size,
      [=](int x, int y, int z) {
        const Double3 node{double(x) / scale, double(y) / scale, double(z) / scale};
        return std::none_of(balls.begin(), balls.end(), [&](const Ball& ball) {
          return dot(node - ball.centre, node - ball.centre) < ball.radius * ball.radius;
        });
      },
      {true, false, true}, {}, 1e-4, {0, 0, 0});
}

TilesFile box(const Int3& size) {
  return imageGeometry(size, strewn(1.0), {false, true, false}, {}, 1e-4, {0, 0, 0});
}

TilesFile plane(const Int3& size, const std::array<bool, 3>& periodic) {
  return imageGeometry(
      size,
      [=](int x, int y, int) {
        const bool cylinder = (x - 9) * (x - 9) + (y - 8) * (y - 8) < 11;
        const bool wall = y == 13 && x > 3 && x < 15;
        return !cylinder && !wall && 2 * x + y > 6;
      },
      periodic, {}, 1e-4, {0, 0, 0}, 2);
}

TilesFile mixed(const Int3& size, const std::array<bool, 3>& periodic) {
  return imageGeometry(size,
                       [=](int x, int y, int z) {
                         const bool strewnHere = x >= 16 && x < 32 && y < 20;
                         return !(strewnHere && (x + 2 * y + 3 * z) % 4 == 0) &&
                                (x - 40) * (x - 40) + (y - 24) * (y - 24) + (z - 9) * (z - 9) > 81;
                       },
                       periodic, {}, 1e-4, {0, 0, 0});
}

std::vector<double> start(const TilesFile& tiles) {
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const std::uint64_t q = nodes.velocities().size();
  std::vector<double> values(tiles.geometry.tiles() * q * 64);
  for (std::uint32_t node = 0; node < nodes.count(); ++node)
    for (std::uint64_t i = 0; i < q; ++i) {
      const std::uint64_t k = (nodes.place(node) / 64 * q + i) * 64 + nodes.place(node) % 64;
      values[k] = noiseAt(k);
    }
  return values;
}

std::vector<double> ofTiles(const TilesFile& tiles, const ComparatorInfo& like,
                            std::uint64_t steps) {
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const TileOrder& order = nodes.tileOrder();
  const std::uint64_t q = nodes.velocities().size();
  const auto indexOf = [&](std::uint32_t slot, int i, int local) {
    return (slot * q + static_cast<std::uint64_t>(i)) * 64 + static_cast<std::uint64_t>(local);
  };
  Domain domain;
  domain.tiles = order.tiles;
  domain.slots = order.tiles + order.ghosts;
  domain.neighbourTable = order.neighbourTable;
  domain.masks = order.masks;
  for (const PeriodicCopy& copy : order.copies)
    domain.copies.push_back({indexOf(copy.fromSlot, copy.direction, copy.fromLocal),
                             indexOf(copy.toSlot, copy.direction, copy.toLocal)});
  const std::size_t perTile = q * 64;
  const std::vector<double> first = start(tiles);
  std::vector<double> state(domain.slots * perTile);
  const auto inSlots = [&](auto&& move) {
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
      for (std::size_t k = 0; k < perTile; ++k)
        move(t * perTile + k, order.slotOfTile[t] * perTile + k);
  };
  inSlots([&](std::size_t tile, std::size_t slot) { state[slot] = first[tile]; });
  const auto backend =
      findVariant(
          {.lattice = like.lattice, .collision = like.collision, .precision = like.precision})
          .makeCpu(std::move(domain), relaxation);
  backend->setState(state);
  backend->advance(steps, {});
  state = ofFluid(order, backend->state(0, order.tiles));
  std::vector<double> result(first.size());
  inSlots([&](std::size_t tile, std::size_t slot) { result[tile] = state[slot]; });
  return result;
}

std::string titleOf(const ComparatorInfo& info) {
  return info.name + " " + solver::comparators::nameOf(info.order) + " " +
         solver::model::nameOf(info.collision) + " " + solver::model::nameOf(info.precision);
}

const ComparatorInfo& infoOf(const std::string& name, CollisionId collision, PrecisionId precision,
                             LatticeId lattice) {
  return *std::find_if(comparators().begin(), comparators().end(), [&](const ComparatorInfo& info) {
    return info.name == name && info.collision == collision && info.precision == precision &&
           info.lattice == lattice;
  });
}

bool storesTiles(const ComparatorInfo& info) {
  return info.name.starts_with("tiles");
}

}  // namespace tessera::testing
