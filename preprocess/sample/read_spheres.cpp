// SPDX-License-Identifier: GPL-3.0-or-later
// Packs of spheres from text; see spheres.hpp.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/whole_file.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

using stage::ExitCode;
using stage::fail;

namespace {
bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The numbers of a line, at most five; none when it has other words.
std::vector<double> numbersOf(std::string_view line) {
  std::vector<double> numbers;
  for (line = trimmed(line); !line.empty() && numbers.size() < 5; line = trimmed(line)) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    const auto used = static_cast<std::size_t>(stop - line.data());
    if (error != std::errc{} || (used < line.size() && !isBlank(line[used]))) return {};
    numbers.push_back(value);
    line.remove_prefix(used);
  }
  return numbers;
}

// Lines as they come; a title's "Number of Spheres: N" is kept.
class SphereText {
 public:
  SphereText(std::string name, std::string_view text) : name_(std::move(name)), rest_(text) {}

  [[nodiscard]] std::vector<std::array<double, 4>> spheres() {
    std::vector<std::array<double, 4>> found;
    for (; !rest_.empty(); ++line_) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view whole = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
      if (line.empty()) continue;
      const std::vector<double> n = numbersOf(line);
      if (n.size() == 4)
        found.push_back({n[0], n[1], n[2], n[3]});
      else if (found.empty() && n.empty())
        readTitle(line);
      else
        bad(line, "four numbers, x y z r");
      if (n.size() == 4) check(found.back(), line);
    }
    checkCount(found.size());
    return found;
  }

 private:
  [[noreturn]] void bad(std::string_view line, const std::string& expected) const {
    fail(ExitCode::BadInput, name_ + ", line " + std::to_string(line_) + ": found \"" +
                                 std::string(line.substr(0, 60)) + "\", expected are " + expected +
                                 ": correct the file.");
  }
  void readTitle(std::string_view line) {
    constexpr std::string_view key = "Number of Spheres:";
    if (!line.starts_with(key)) return;
    const std::vector<double> n = numbersOf(line.substr(key.size()));
    if (n.size() == 1) told_ = n[0];
  }
  void check(const std::array<double, 4>& s, std::string_view line) const {
    const bool usable = std::all_of(s.begin(), s.end(),
                                    [](double v) { return std::isfinite(v) && std::abs(v) < 1e9; });
    if (!usable || !(s[3] > 0.0)) bad(line, "a place and a radius above zero");
  }
  void checkCount(std::size_t count) const {
    if (count == 0)
      fail(ExitCode::BadInput,
           name_ + " has no sphere: expected are lines of four numbers, x y z r.");
    if (told_ >= 0.0 && told_ != static_cast<double>(count))
      fail(ExitCode::BadInput, name_ + " has " + std::to_string(count) +
                                   " spheres, but its title says " +
                                   std::to_string(static_cast<std::int64_t>(told_)) +
                                   ": the file is not whole, get it again.");
  }

  std::string name_;
  std::string_view rest_;
  int line_ = 1;
  double told_ = -1.0;
};

double voxelOf(const Double3& box, const Int3& size) {
  const double voxel = box[0] / size[0];
  for (std::size_t a = 0; a < 3; ++a)
    if (!(box[a] > 0.0) || std::abs(box[a] / size[a] - voxel) > 1e-6 * voxel)
      fail(ExitCode::Usage,
           "--size does not divide --box into cubes: give as many voxels along each side as "
           "its length asks for.");
  return voxel;
}
}  // namespace

SpherePack readSpheres(const std::filesystem::path& path, const Double3& box, const Int3& size,
                       bool periodic) {
  const double voxel = voxelOf(box, size);
  const std::string name = path.filename().string();
  const read::WholeFile file = read::readWholeFile(path);
  SpherePack pack{.size = size, .periodic = periodic, .sphere = {}};
  for (const auto& [x, y, z, radius] : SphereText(name, file.text()).spheres()) {
    Sphere sphere{{x, y, z}, radius / voxel};
    for (std::size_t a = 0; a < 3; ++a) {
      double& c = sphere.centre[a];
      if (periodic) c -= box[a] * std::floor(c / box[a]);
      c = c / voxel - 0.5;
      if (sphere.radius > size[a])
        fail(ExitCode::BadInput, name + " has a sphere of radius " + std::to_string(radius) +
                                     ", larger than the box: give the box by --box X,Y,Z in the "
                                     "file's unit.");
    }
    pack.sphere.push_back(sphere);
  }
  return pack;
}

}  // namespace tessera::preprocess::sample
