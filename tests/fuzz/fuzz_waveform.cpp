// SPDX-License-Identifier: GPL-3.0-or-later
// A waveform: mistakes in it are of usage, exit code 2.
#include "solver/boundary/waveform.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::stage;

namespace {

const std::string whole =
    "# flow into the aorta\nstep,time[ms],flow_rate[ml/s]\n0,0,1\n1,100,5e0\n2,200,+3\n3,300,-1\n"
    "4,400,0.5\n5,500,1\n";

void requireFinite(const Waveform& wave) {
  if (wave.time.size() != wave.value.size() || wave.time.size() < 2)
    fuzz::promiseBroken("a series of " + std::to_string(wave.time.size()) + " times");
  const double length = wave.time.back() - wave.time.front();
  for (int k = -10; k < 30; ++k)
    if (!std::isfinite(wave.at(wave.time.front() + 0.1 * k * length)))
      fuzz::promiseBroken("a value that is not finite");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {whole, "time[s],flow_rate[m3/s]\r\n0,1e-6\r\n1,1e-6\r\n2,1e-6\r\n"};
}

std::vector<fuzz::Inside> fuzz::insides() {
  return {insideOf(whole, "flow_rate[", "]"), insideOf(whole, "1,100,", "\n"),
          insideOf(whole, "ml/s]\n", "")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool periodic : {false, true}) {
    WaveformOptions options;
    options.column = "flow_rate";
    options.dimension = Dimension::FlowRate;
    options.periodic = periodic;
    options.interpolation = periodic ? Interpolation::Cubic : Interpolation::Linear;
    fuzz::countOutcome([&] { requireFinite(parseWaveform(text, "inlet.csv", options)); },
                       ExitCode::Usage);
  }
  return 0;
}
