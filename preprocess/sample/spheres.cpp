// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/spheres.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::sample {

namespace {
struct CellShape {
  std::vector<Double3> centre;  // of the cell's side
  // Neighbours by distance, and the number of such pairs per cell.
  std::array<double, 2> distance{};
  std::array<int, 2> pairs{};
  double largest = 0.0;  // circumradius of the smallest triangle of neighbours
};

const CellShape& shapeOf(LatticeCell cell) {
  static const std::array<CellShape, 3> shapes{
      {{.centre = {{0.5, 0.5, 0.5}},
        .distance = {1.0, std::sqrt(2.0)},
        .pairs = {3, 6},
        .largest = std::sqrt(0.5)},
       {.centre = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}},
        .distance = {std::sqrt(0.75), 1.0},
        .pairs = {8, 6},
        .largest = 0.75 / std::sqrt(2.0)},
       {.centre = {{0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}},
        .distance = {std::sqrt(0.5), 1.0},
        .pairs = {24, 12},
        .largest = std::sqrt(1.0 / 6.0)}}};
  return shapes[static_cast<std::size_t>(cell)];
}

// Intersection volume of two spheres.
double lens(double radius, double distance) {
  const double height = radius - 0.5 * distance;  // of each of the two caps
  return height <= 0.0 ? 0.0 : 2.0 * M_PI * height * height * (radius - height / 3.0);
}
}  // namespace

double latticeSolid(LatticeCell cell, double radius) {
  const CellShape& shape = shapeOf(cell);
  double solid = latticeSpheres(cell) * 4.0 / 3.0 * M_PI * radius * radius * radius;
  for (std::size_t k = 0; k < 2; ++k) solid -= shape.pairs[k] * lens(radius, shape.distance[k]);
  return solid;
}

int latticeSpheres(LatticeCell cell) {
  return static_cast<int>(shapeOf(cell).centre.size());
}

double latticeTouchingRadius(LatticeCell cell) {
  return 0.5 * shapeOf(cell).distance[0];
}

double latticeLargestRadius(LatticeCell cell) {
  return shapeOf(cell).largest;
}

double latticeRadius(LatticeCell cell, double solid) {
  double low = 0.0;
  double high = latticeLargestRadius(cell);
  if (!(solid > 0.0) || solid >= latticeSolid(cell, high))
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "--solid must be above 0 and below {:f}, where three spheres of this lattice meet.",
            latticeSolid(cell, high)));
  for (int step = 0; step < 100; ++step) {
    const double radius = 0.5 * (low + high);
    (latticeSolid(cell, radius) < solid ? low : high) = radius;
  }
  return 0.5 * (low + high);
}

SpherePack latticeSpherePack(const LatticeShape& shape) {
  if (!(shape.radius > 0.0) || shape.radius >= latticeLargestRadius(shape.cell))
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--radius must be above 0 and below {:f} of the cell's side, where "
                            "three spheres of this lattice meet.",
                            latticeLargestRadius(shape.cell)));
  SpherePack pack{.size = {}, .periodic = true, .sphere = {}};
  for (std::size_t a = 0; a < 3; ++a) pack.size[a] = shape.cells[a] * shape.nodes;
  for (int z = 0; z < shape.cells[2]; ++z)
    for (int y = 0; y < shape.cells[1]; ++y)
      for (int x = 0; x < shape.cells[0]; ++x)
        for (const Double3& c : shapeOf(shape.cell).centre) {
          const double n = shape.nodes;
          pack.sphere.push_back({{n * (x + c[0]) - 0.5, n * (y + c[1]) - 0.5, n * (z + c[2]) - 0.5},
                                 n * shape.radius});
        }
  return pack;
}

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

// Numbers of a line, at most five; empty if it has other words.
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

// Parser of sphere lists with an optional title "Number of Spheres: N".
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
    fail(ExitCode::BadInput, fmt::format("{}:{}: found \"{}\", expected {}; correct the file.",
                                         name_, line_, line.substr(0, 60), expected));
  }
  void readTitle(std::string_view line) {
    constexpr std::string_view key = "Number of Spheres:";
    if (!line.starts_with(key)) return;
    const std::vector<double> n = numbersOf(line.substr(key.size()));
    if (n.size() == 1) declared_ = n[0];
  }
  void check(const std::array<double, 4>& s, std::string_view line) const {
    const bool usable = std::all_of(s.begin(), s.end(),
                                    [](double v) { return std::isfinite(v) && std::abs(v) < 1e9; });
    if (!usable || !(s[3] > 0.0)) bad(line, "a position and a radius above zero");
  }
  void checkCount(std::size_t count) const {
    if (count == 0)
      fail(ExitCode::BadInput, name_ + " has no spheres: expected lines of four numbers, x y z r.");
    if (declared_ >= 0.0 && declared_ != static_cast<double>(count))
      fail(ExitCode::BadInput, fmt::format("{} has {} spheres, expected {} from its title: the "
                                           "file is incomplete, obtain it again.",
                                           name_, count, static_cast<std::int64_t>(declared_)));
  }

  std::string name_;
  std::string_view rest_;
  int line_ = 1;
  double declared_ = -1.0;
};

double voxelOf(const Double3& box, const Int3& size) {
  const double voxel = box[0] / size[0];
  for (std::size_t a = 0; a < 3; ++a)
    if (!(box[a] > 0.0) || std::abs(box[a] / size[a] - voxel) > 1e-6 * voxel)
      fail(ExitCode::Usage,
           "--size does not divide --box into cubes: choose the voxels of each side in proportion "
           "to its length.");
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
        fail(ExitCode::BadInput, fmt::format("{} has a sphere of radius {:f}, larger than the box: "
                                             "give the box by --box X,Y,Z in the file's unit.",
                                             name, radius));
    }
    pack.sphere.push_back(sphere);
  }
  return pack;
}

}  // namespace tessera::preprocess::sample
