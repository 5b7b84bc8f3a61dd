// SPDX-License-Identifier: GPL-3.0-or-later
// A table of velocities on a plane: mistakes in it are of usage, exit code 2.
#include "solver/boundary/velocity_table.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::stage;

namespace {

const std::string whole =
    "# measured\ntime[ms],x[mm],y[mm],z[mm],u[m/s],v[m/s],w[m/s],quality\n"
    "0,0,0,1,0.1,0,0,9\n0,1,0,1,0.2,0,0.1,8\n0,0,1,1,0.1,5e-1,0,9\n0,1,1,1,+0.1,0,0,7\n"
    "10,0,0,1,0.2,0,0,9\n10,1,0,1,0.1,0,-0.1,8\n";

void requireFiniteBetween(const VelocityTable& table) {
  for (const VelocityFrame& frame : table.frames) {
    std::vector<std::array<double, 2>> positions;
    for (const Double3& point : frame.point) positions.push_back({point[0], point[1]});
    const std::array<double, 2> first = positions.front();
    const PlaneInterpolation plane(std::move(positions), frame.velocity);
    for (int k = -3; k < 4; ++k) {
      const Double3 v = plane.at({first[0] + 1e-3 * k, first[1] - 3e-4 * k});
      if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
        fuzz::promiseBroken("a value that is not finite");
    }
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {whole, "x[m],y[m],normal[m/s]\r\n0,0,1\r\n0,1e-3,1\r\n"};
}

std::vector<fuzz::Inside> fuzz::insides() {
  return {insideOf(whole, "u[", "]"), insideOf(whole, "0,1,0,1,", "\n"),
          insideOf(whole, "quality\n", "")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::countOutcome([&] { requireFiniteBetween(parseVelocityTable(text, "plane.csv")); },
                     ExitCode::Usage);
  return 0;
}
