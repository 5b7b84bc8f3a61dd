// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample channel2d, box2d and network2d.
#include "preprocess/sample/deliver.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/network.hpp"
#include "preprocess/sample/options.hpp"

namespace tessera::preprocess::sample {

int makeChannelImage(int argc, const char* const* argv) {
  Int3 size{64, 34, 1};
  KindLine kind("channel2d", "A picture of a plane channel along x between two solid rows.", "",
                ".pgm");
  kind.size("--size", size, 2, "NX,NY pixels, the two rows counted");
  kind.example("tessera-sample channel2d --size 64,34 -o channel.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  return deliver(*common, "channel2d", sampleChannelImage(size[0], size[1]), ".pgm",
                 {.options = "--periodic x", .facts = {}});
}

int makeBoxImage(int argc, const char* const* argv) {
  Int3 size{64, 64, 1};
  KindLine kind("box2d", "A picture that is all pore, so that its sides are the walls.", "",
                ".pgm");
  kind.size("--size", size, 2, "NX,NY pixels");
  kind.example("tessera-sample box2d --size 64,64 -o cavity.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  return deliver(*common, "box2d", sampleBoxImage(size), ".pgm",
                 {.options = "--wall y+=lid", .facts = {}});
}

int makeNetworkImage(int argc, const char* const* argv) {
  NetworkShape shape;
  std::int64_t cell = shape.cell;
  std::int64_t seed = 1;
  KindLine kind("network2d",
                "A picture of channels between the nodes of a square lattice; all of them are "
                "joined with the left side, and that with the right one.",
                "", ".pgm");
  kind.size("--cells", shape.cells, 2, "NX,NY nodes of the lattice");
  kind.count("--cell", cell, 6, 10'000, "pixels between nodes");
  kind.number("--width", shape.width, 2.0, 6000.0, "of the channels, pixels");
  kind.number("--spread", shape.spread, 0.0, 1.0,
              "of the widths: standard deviation over mean, log-normal (default 0: all alike)");
  kind.number("--jitter", shape.jitter, 0.0, 0.3,
              "of the nodes, each way, in cells (default 0: a regular lattice)");
  kind.number("--keep", shape.keep, 0.0, 1.0,
              "part of the channels, chosen at random; more where left and right need it");
  kind.count("--seed", seed, 0, INT64_MAX, "of the random numbers");
  kind.example("tessera-sample network2d --cells 12,8 -o regular.pgm");
  kind.example(
      "tessera-sample network2d --keep 0.7 --jitter 0.2 --spread 0.3 --seed 4 -o chip.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  shape.cell = static_cast<int>(cell);
  shape.seed = static_cast<std::uint64_t>(seed);
  const Network network = sampleNetwork(shape);
  return deliver(*common, "network2d", network.image, ".pgm",
                 {.options = "--faces x-,x+", .facts = {{"channels_kept", network.kept}}});
}

}  // namespace tessera::preprocess::sample
