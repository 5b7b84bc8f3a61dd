// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <memory>

#include "preprocess/image/crop.hpp"
#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/lattice/choose_lattice.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::image;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;

namespace {

// Every voxel whose number is divisible by 3 or 7.
BitLattice someVoxels(const Int3& size) {
  BitLattice fluid(size);
  int number = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x, ++number)
        if (number % 3 == 0 || number % 7 == 0) fluid.set(x, y, z);
  return fluid;
}

FluidVoxels voxelsOf(const BitLattice& fluid, const Double3& voxel) {
  FluidVoxels voxels;
  voxels.fluid = fluid;
  voxels.voxel = voxel;
  return voxels;
}

}  // namespace

TEST_CASE("Fluid voxels: a cropped image has the voxels of its box, where they were", "[unit]") {
  for (const bool reversed : {false, true}) {
    Image image;
    image.size = {7, 5, 6};
    image.type = VoxelType::U16;
    image.start = 3;
    image.voxel = {1e-3, 2e-3, 3e-3};
    image.origin = {0.1, 0.2, 0.3};
    image.axis = {{{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
    image.planesReversed = reversed;
    image.file.size = 3 + 2 * image.voxels();
    image.file.bytes = std::make_unique<char[]>(image.file.size + 1);
    for (std::uint16_t i = 0; i < image.voxels(); ++i)
      std::memcpy(image.file.bytes.get() + 3 + 2 * i, &i, 2);
    CHECK(fits({{0, 0, 0}, {7, 5, 6}}, image));
    CHECK_FALSE(fits({{0, 0, 0}, {7, 6, 6}}, image));
    CHECK_FALSE(fits({{3, 0, 0}, {3, 5, 6}}, image));
    crop(image, {{2, 1, 2}, {7, 3, 5}});
    REQUIRE(image.size == Int3{5, 2, 3});
    const int lowest = reversed ? 1 : 2;  // in memory
    for (int z = 0; z < 3; ++z)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 5; ++x)
          REQUIRE(image.value(static_cast<std::size_t>((z * 2 + y) * 5 + x)) ==
                  ((z + lowest) * 5 + y + 1) * 7 + x + 2);
    CHECK(image.origin[0] == Approx(0.1 - 2e-3));
    CHECK(image.origin[1] == Approx(0.2 + 2e-3));
    CHECK(image.origin[2] == Approx(0.3 + 3e-3 * lowest));
  }
}

TEST_CASE("Fluid voxels: several labels and ranges are fluid, of any type, scaled or not",
          "[unit]") {
  const std::vector<ValueRange> ranges = {{1, 1}, {3, 3}, {5, 8}, {-2.5, -1.5}};
  const auto isFluid = [](double v) {
    return v == 1 || v == 3 || (v >= 5 && v <= 8) || (v >= -2.5 && v <= -1.5);
  };
  for (const VoxelType type :
       {VoxelType::U8, VoxelType::I8, VoxelType::I16, VoxelType::U32, VoxelType::F32})
    for (const double slope : {1.0, 0.5}) {
      Image image;
      image.size = {70, 2, 1};
      image.type = type;
      image.slope = slope;
      image.file.size = image.voxels() * bytesOf(type);
      image.file.bytes = std::make_unique<char[]>(image.file.size + 1);
      withVoxelType(type, [&]<class Stored>(std::type_identity<Stored>) {
        for (std::size_t i = 0; i < image.voxels(); ++i) {
          const auto value = static_cast<Stored>(static_cast<int>(i) - 20);
          std::memcpy(image.file.bytes.get() + i * sizeof value, &value, sizeof value);
        }
      });
      const BitLattice fluid = fluidOf(image, ranges);
      CHECK(fluid.count() > 0);
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 70; ++x)
          REQUIRE(fluid.at(x, y, 0) == isFluid(image.value(static_cast<std::size_t>(70 * y + x))));
    }
  CHECK(rangesText(ranges) == "1, 3, 5 to 8 and -2.5 to -1.5");
}

TEST_CASE("Fluid voxels: a mirror image follows the image along each requested axis", "[unit]") {
  const BitLattice fluid = someVoxels({70, 5, 9});
  const BitLattice twice = mirrored(fluid, {true, false, true});
  REQUIRE(twice.size == Int3{140, 5, 18});
  for (int z = 0; z < 18; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 140; ++x)
        REQUIRE(twice.at(x, y, z) == fluid.at(x < 70 ? x : 139 - x, y, z < 9 ? z : 17 - z));
}

TEST_CASE("Fluid voxels: a node is fluid where the voxel that holds it is", "[unit]") {
  const FluidVoxels voxels = voxelsOf(someVoxels({12, 10, 6}), {5e-4, 5e-4, 2e-3});
  SpacingRequest request;
  request.spacing = 3.1e-4;
  const LatticeChoice lattice = chooseLattice(voxels.box(), request, std::nullopt, {});
  const BitLattice nodes = resampled(voxels, lattice.frame, lattice.size());
  CHECK(nodes.size == Int3{20, 17, 39});
  for (int z = 0; z < nodes.size[2]; ++z)
    for (int y = 0; y < nodes.size[1]; ++y)
      for (int x = 0; x < nodes.size[0]; ++x) {
        const Double3 at = lattice.frame.toWorld(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        Int3 voxel{};
        for (std::size_t a = 0; a < 3; ++a) {
          voxel[a] = static_cast<int>(std::lround(at[a] / voxels.voxel[a]));
          REQUIRE(std::abs(at[a] / voxels.voxel[a] - voxel[a]) <= 0.5);
          REQUIRE(voxel[a] < voxels.fluid.size[a]);
        }
        REQUIRE(nodes.at(x, y, z) == voxels.fluid.at(voxel[0], voxel[1], voxel[2]));
      }
}

TEST_CASE(
    "Fluid voxels: twice as many nodes as voxels on each axis give eight times the fluid nodes",
    "[unit]") {
  const FluidVoxels voxels = voxelsOf(someVoxels({12, 10, 6}), {1e-3, 1e-3, 1e-3});
  SpacingRequest request;
  request.longest = 24;
  const LatticeChoice lattice = chooseLattice(voxels.box(), request, std::nullopt, {});
  CHECK(lattice.size() == Int3{24, 20, 12});
  CHECK(resampled(voxels, lattice.frame, lattice.size()).count() == 8 * voxels.fluid.count());
}

TEST_CASE("Fluid voxels: a 2D image stays one node thick, whatever the spacing", "[unit]") {
  FluidVoxels voxels = voxelsOf(someVoxels({12, 10, 1}), {1e-3, 1e-3, 5e-3});
  voxels.dimensions = 2;
  SpacingRequest request;
  request.longest = 36;
  const LatticeChoice lattice = chooseLattice(voxels.box(), request, std::nullopt, {});
  CHECK(lattice.size() == Int3{36, 30, 1});
  CHECK(resampled(voxels, lattice.frame, lattice.size()).count() == 9 * voxels.fluid.count());
}

TEST_CASE("Fluid voxels: the lattice has the position of the image in the world", "[unit]") {
  FluidVoxels voxels = voxelsOf(someVoxels({4, 4, 4}), {1e-3, 1e-3, 3e-3});
  voxels.origin = {0.1, 0.2, 0.3};
  voxels.axis = {{{0.0, -1.0, 0.0}, {0.6, 0.0, 0.8}, {-0.8, 0.0, 0.6}}};
  SpacingRequest request;
  request.spacing = 1e-3;
  const LatticeChoice lattice = chooseLattice(voxels.box(), request, std::nullopt, {});
  const Frame world = inWorld(lattice.frame, voxels);
  CHECK(world.spacing == 1e-3);
  // Node (2, 3, 4) is at 2, 3 and 4 - 1 mm along the image's axes.
  const Double3 at = world.toWorld({2, 3, 4});
  CHECK(at[0] == Approx(0.1 + 0.6 * 3e-3 - 0.8 * 3e-3));
  CHECK(at[1] == Approx(0.2 - 2e-3));
  CHECK(at[2] == Approx(0.3 + 0.8 * 3e-3 + 0.6 * 3e-3));
}

TEST_CASE("Fluid voxels: few values of an image are listed, of many only the ends", "[unit]") {
  Image image;
  image.size = {4, 3, 1};
  image.type = VoxelType::U8;
  const auto fill = [&](const std::string& bytes) {
    image.file.size = bytes.size();
    image.file.bytes = std::make_unique<char[]>(bytes.size() + 1);
    bytes.copy(image.file.bytes.get(), bytes.size());
  };
  fill("\2\2\2\2\1\1\1\1\2\2\2\2");
  CHECK(valuesIn(image) == "1 and 2");
  image.slope = 0.5;
  CHECK(valuesIn(image) == "0.5 and 1");
  image.slope = 1.0;
  fill("\1\2\3\1\2\3\1\2\3\7\2\3");
  CHECK(valuesIn(image) == "1, 2, 3 and 7");
  fill("\1\2\3\4\5\6\7\10\11\12\13\14");
  CHECK(valuesIn(image) == "from 1 to 12");
}
