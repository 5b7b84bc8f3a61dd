// SPDX-License-Identifier: GPL-3.0-or-later
// Speeds kept for later plans: what is read back, what foreign files do, which of them predicts.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <optional>

#include "solver/bench/stored_speeds.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::model;

namespace {

const VariantInfo& variantOf(CollisionId collision, PrecisionId precision) {
  for (const VariantInfo& variant : variants())
    if (variant.axes.lattice == LatticeId::D3Q19 && variant.axes.collision == collision &&
        variant.axes.precision == precision && !variant.storesMoments())
      return variant;
  FAIL("no such variant is built");
  return variants().front();
}

}  // namespace

TEST_CASE("Stored speeds: what is measured is read back, and replaces what was there", "[unit]") {
  const TemporaryFolder folder;
  const auto file = folder / "cache/tessera/speeds.txt";
  CHECK(readSpeeds(file).empty());
  storeSpeeds(file, {{"CPU\tof 2\n", "variant a", 2, 100.0, 0.9, 1e10}, {"CPU", "b", 1, 50.0}});
  storeSpeeds(file, {{"CPU", "b", 1, 60.0, 0.5, 2e10}});
  const std::vector<StoredSpeed> speeds = readSpeeds(file);
  REQUIRE(speeds.size() == 2);
  CHECK(speeds[0].mflups == 60.0);
  CHECK(speeds[0].utilisation == 0.5);
  CHECK(speeds[0].bandwidth == 2e10);
  CHECK(speeds[1].device == "CPU of 2 ");
  CHECK(speeds[1].variant == "variant a");
  storeSpeeds(file, {{"CPU", "b", 1, 70.0, 0.5, 2e10, 2}});
  const std::vector<StoredSpeed> both = readSpeeds(file);
  REQUIRE(both.size() == 3);
  CHECK(both[0].variant == "b");
  CHECK(both[0].stepsInPass == 2);
  CHECK(both[1].stepsInPass == 1);
  std::vector<StoredSpeed> many;
  for (int k = 0; k < 700; ++k) many.push_back({"CPU", std::to_string(k), 2, 1.0});
  storeSpeeds(file, many);
  CHECK(readSpeeds(file).size() == 500);
}

TEST_CASE("Stored speeds: lines that are none are passed over", "[unit]") {
  const TemporaryFolder folder;
  const auto file = folder / "speeds.txt";
  writeWhole(
      file,
      "\n# a remark\nCPU\tv\t2\t100\t0.9\t1e10\nCPU\tv\t2\tnan\t0.9\t1\nCPU\tv\t2\t-1\t0.9\t1\n"
      "CPU\tv\t3\t100\t0.9\t1\nCPU\tv\t2\t1e30\t0.9\t1\nCPU\tv\t2\t100\t7\t1\nCPU\tv\t2\n" +
          std::string(500, 'x') + "\tv\t2\t100\t0.9\t1\n" + std::string("\0\1\2", 3));
  REQUIRE(readSpeeds(file).size() == 1);
  CHECK(readSpeeds(folder / "").empty());
  writeWhole(file, std::string(10'000'000, '\n') + "CPU\tv\t2\t100\t0.9\t1e10\n");
  CHECK(readSpeeds(file).empty());
}

TEST_CASE("Stored speeds: the nearest line predicts, by the bytes of a node", "[unit]") {
  const VariantInfo& trt = variantOf(CollisionId::Trt, PrecisionId::F32);
  const VariantInfo& bgk = variantOf(CollisionId::Bgk, PrecisionId::F32);
  const VariantInfo& wide = variantOf(CollisionId::Trt, PrecisionId::F64);
  const StoredSpeed own{"CPU", trt.name(), 2, 100.0, 0.5}, other{"CPU", bgk.name(), 2, 150.0, 1.0},
      doubles{"CPU", wide.name(), 2, 40.0, 1.0};
  const auto predicted = [&](const std::vector<StoredSpeed>& stored, const std::string& device) {
    return speedFrom(stored, device, trt, 2, 1, 1.0);
  };
  CHECK_FALSE(predicted({own}, "another"));
  CHECK_FALSE(predicted({{"CPU", "no variant", 2, 100.0}}, "CPU"));
  CHECK(predicted({doubles, other, own}, "CPU")->mflups == Approx(200.0));
  CHECK(predicted({doubles, other}, "CPU")->mflups == Approx(150.0));
  CHECK(predicted({doubles}, "CPU")->mflups == Approx(80.0));
  CHECK(predicted({own}, "CPU")->source == "measured by --bench");
  StoredSpeed twice = own;
  twice.mflups = 160.0;
  twice.stepsInPass = 2;
  CHECK(predicted({twice, own}, "CPU")->mflups == Approx(200.0));
  CHECK_FALSE(predicted({twice}, "CPU"));
  CHECK(speedFrom({own, twice}, "CPU", trt, 2, 2, 1.0)->mflups == Approx(320.0));
  CHECK(speedFrom({own, other}, "CPU", trt, 2, 2, 1.0)->mflups == Approx(200.0));
  CHECK(speedFromBandwidth(152e9, true, trt, 1.0).mflups == Approx(850.0));
  const PredictedSpeed ofPeak = speedFromPeak(1000.0 / 0.88 * 152e6, trt, 1.0);
  CHECK(ofPeak.mflups == Approx(850.0));
  CHECK_THAT(ofPeak.source, Catch::Contains("88 %") && Catch::Contains("173 GB/s"));
}

TEST_CASE("Stored speeds: mixed moments are as fast as those in single precision", "[unit]") {
  const auto moments = [](PrecisionId precision) -> const VariantInfo& {
    return findVariant(
        {.collision = CollisionId::Regularised, .precision = precision, .state = StateId::Moments});
  };
  const VariantInfo& single = moments(PrecisionId::F32);
  const VariantInfo& mixed = moments(PrecisionId::M32F16);
  const std::vector<StoredSpeed> ofSingle{{"CPU", single.name(), 2, 100.0, 1.0}};
  const std::vector<StoredSpeed> ofMixed{{"CPU", mixed.name(), 2, 90.0, 1.0}};
  CHECK(speedFrom(ofSingle, "CPU", mixed, 2, 1, 1.0)->mflups == Approx(100.0));
  CHECK(speedFrom(ofMixed, "CPU", single, 2, 1, 1.0)->mflups == Approx(90.0));
  CHECK(speedFrom(ofMixed, "CPU", mixed, 2, 1, 0.5)->mflups == Approx(45.0));
}

TEST_CASE("Stored speeds: they are in the user's cache", "[unit]") {
  std::map<std::string, std::optional<std::string>> before;
  for (const char* name : {"XDG_CACHE_HOME", "HOME"})
    before[name] =
        std::getenv(name) != nullptr ? std::optional<std::string>(std::getenv(name)) : std::nullopt;
  ::setenv("XDG_CACHE_HOME", "/somewhere/cache", 1);
  CHECK(speedsFile() == "/somewhere/cache/tessera/speeds.txt");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/someone", 1);
  CHECK(speedsFile() == "/home/someone/.cache/tessera/speeds.txt");
  ::unsetenv("HOME");
  CHECK(speedsFile().empty());
  for (const auto& [name, value] : before)
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
}
