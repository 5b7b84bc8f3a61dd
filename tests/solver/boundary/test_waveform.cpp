// SPDX-License-Identifier: GPL-3.0-or-later
// Waveforms from CSV: reading, interpolation, refusals.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "solver/boundary/velocity.hpp"
#include "solver/boundary/waveform.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::stage;

namespace {

WaveformOptions flowRate(bool periodic = false) {
  WaveformOptions options;
  options.column = "flow_rate";
  options.dimension = Dimension::FlowRate;
  options.periodic = periodic;
  options.interpolation = periodic ? Interpolation::Cubic : Interpolation::Linear;
  return options;
}

std::string rows(int count, double (*value)(double)) {
  std::string text = "time[ms],flow_rate[ml/s]\n";
  for (int k = 0; k <= count; ++k) {
    char line[64];
    std::snprintf(line, sizeof(line), "%.17g,%.17g\n", 1000.0 * k / count,
                  value(double(k) / count));
    text += line;
  }
  return text;
}

double sine(double s) {
  return 2.0 + std::sin(2.0 * 3.14159265358979323846 * s);
}

}  // namespace

TEST_CASE("Waveform: a series is read by the names and units of its header", "[unit]") {
  const Waveform wave = parseWaveform(
      "# measured\r\n\r\nstep,time[ms], flow_rate [ml/min]\r\n1,0,60\r\n2,500,+120\r\n3,1e3,0\r\n",
      "dir/inlet.csv", flowRate());
  CHECK(wave.name == "inlet.csv");
  CHECK(wave.time == std::vector<double>{0.0, 0.5, 1.0});
  CHECK(wave.at(0.25) == Approx(1.5e-6));
  CHECK(wave.at(-1.0) == Approx(1e-6));
  CHECK(wave.at(9.0) == Approx(0.0));
  CHECK(wave.largest() == Approx(2e-6));
}

TEST_CASE("Waveform: periodic series repeat, and the cubic interpolation is of fourth order",
          "[unit]") {
  double before = 0.0;
  for (const int n : {16, 32, 64}) {
    const Waveform wave = parseWaveform(rows(n, sine), "inlet.csv", flowRate(true));
    CHECK(wave.period == Approx(1.0));
    CHECK(wave.at(0.3) == Approx(wave.at(7.3)).epsilon(1e-12));
    CHECK(wave.at(0.3) == Approx(wave.at(-0.7)).epsilon(1e-12));
    double error = 0.0;
    for (double s = 0.0; s < 1.0; s += 0.003)
      error = std::max(error, std::abs(wave.at(s) / 1e-6 - sine(s)));
    if (before > 0.0) CHECK(std::log2(before / error) > 3.8);
    before = error;
  }
  CHECK(before < 1e-6);
}

TEST_CASE("Waveform: a period longer than the series closes it", "[unit]") {
  WaveformOptions options = flowRate(true);
  options.period = 1.0;
  options.interpolation = Interpolation::Linear;
  const Waveform wave =
      parseWaveform("time[s],flow_rate[m3/s]\n0,0\n0.25,1\n0.5,2\n0.75,4\n", "inlet.csv", options);
  CHECK(wave.at(0.875) == Approx(2.0));
  CHECK(wave.at(1.75) == Approx(4.0));
}

TEST_CASE("Waveform: the harmonics of a series give it back", "[unit]") {
  const Waveform wave = parseWaveform(rows(64,
                                           [](double s) {
                                             return 1.0 + 0.5 * std::cos(6.283185307179586 * s) +
                                                    0.2 * std::sin(12.566370614359172 * s);
                                           }),
                                      "inlet.csv", flowRate(true));
  const Harmonics harmonics = harmonicsOf(wave);
  CHECK(harmonics.omega == Approx(6.283185307179586));
  REQUIRE(harmonics.amplitude.size() >= 2);
  const double largest = wave.largest() / 1e-6;
  CHECK(harmonics.amplitude[0].real() == Approx(0.5 / largest).epsilon(1e-4));
  CHECK(std::abs(harmonics.amplitude[0].imag()) < 1e-5);
  CHECK(harmonics.amplitude[1].imag() == Approx(-0.2 / largest).epsilon(1e-4));
}

TEST_CASE("Waveform: invalid series are refused with their line", "[unit]") {
  const auto refused = [](const std::string& text, const WaveformOptions& options,
                          const std::string& line, const std::string& fact) {
    INFO(text);
    checkError(ExitCode::Usage, [&] { parseWaveform(text, "inlet.csv", options); },
               {"inlet.csv:" + line + ":", fact});
  };
  const std::string head = "time[s],flow_rate[ml/s]\n";
  refused("", flowRate(), "1", "empty");
  refused("time[s],velocity[m/s]\n0,1\n", flowRate(), "1", "flow_rate");
  refused("flow_rate[ml/s]\n1\n", flowRate(), "1", "time");
  refused("time,flow_rate[ml/s]\n", flowRate(), "1", "unit");
  refused("time[s];flow_rate[ml/s]\n0;0,5\n", flowRate(), "1", "comma");
  refused("time[s],time[s],flow_rate[ml/s]\n", flowRate(), "1", "time");
  refused(head, flowRate(), "1", "0");
  refused(head + "0,1\n", flowRate(), "2", "1");
  refused(head + "0,1\n1,\n", flowRate(), "3", "empty");
  refused(head + "0,1\n1\n", flowRate(), "3", "1");
  refused(head + "0,1\n1,2,3\n", flowRate(), "3", "3");
  refused(head + "0,1\n1,nan\n", flowRate(), "3", "nan");
  refused(head + "0,1\n1,inf\n", flowRate(), "3", "inf");
  refused(head + "0,1\n1,1e40\n", flowRate(), "3", "1e30");
  refused(head + "0,1\n1,2 ml\n", flowRate(), "3", "2 ml");
  refused(head + "0;1\n1;2\n", flowRate(), "2", "0;1");
  refused(head + "0,1\n2,1\n# back\n1,1\n", flowRate(), "5", "1 s");
  refused(head + "0,1\n0,2\n", flowRate(), "3", "0 s");
  const std::string gap = head + "0,1\n0.1,1\n0.2,2\n0.3,2\n0.9,2\n1,1\n";
  refused(gap, flowRate(), "6", "gap");
  WaveformOptions uneven = flowRate();
  uneven.uneven = true;
  CHECK(parseWaveform(gap, "inlet.csv", uneven).at(0.6) == Approx(2e-6));
  refused(head + "0,1\n1,3\n2,2\n", flowRate(true), "4", "periodic");
  refused(head + "0,1\n1,1\n", flowRate(true), "3", "3 rows");
  WaveformOptions tooShort = flowRate(true);
  tooShort.period = 0.5;
  refused(head + "0,1\n1,3\n2,1\n", tooShort, "4", "period");
  checkError(ExitCode::Usage,
             [&] { parseWaveform("time[s],flow_rate[Pa]\n0,1\n1,1\n", "inlet.csv", flowRate()); },
             {"ml/s"});
}

TEST_CASE("Waveform: a missing or too large file is an input error", "[unit]") {
  const TemporaryFolder folder;
  checkError(ExitCode::BadInput, [&] { readWaveform(folder.path() / "no.csv", flowRate()); },
             {"no.csv"});
  checkError(ExitCode::BadInput, [&] { readWaveform(folder.path(), flowRate()); },
             {folder.path().string()});
  const auto path = folder.path() / "large.csv";
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, std::uintmax_t{17} << 20U);
  checkError(ExitCode::BadInput, [&] { readWaveform(path, flowRate()); }, {"16 MiB"});
}

TEST_CASE("Waveform: a file that is read in part is not taken for a shorter one", "[unit]") {
  // The kernel states a size of 4096 bytes and returns a few.
  const std::filesystem::path path = "/sys/devices/system/cpu/online";
  std::error_code error;
  if (std::filesystem::file_size(path, error) != 4096) {
    WARN("skipped: no such file here");
    return;
  }
  checkError(ExitCode::BadInput, [&] { readWaveform(path, flowRate()); }, {"4096"});
}
