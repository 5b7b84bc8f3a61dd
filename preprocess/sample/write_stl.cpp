// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/write_stl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::sample {

namespace {
static_assert(std::endian::native == std::endian::little);
constexpr std::size_t headerBytes = 80;
constexpr std::size_t recordBytes = 50;

Float3 asFloat(const Double3& a, double factor) {
  return {static_cast<float>(factor * a[0]), static_cast<float>(factor * a[1]),
          static_cast<float>(factor * a[2])};
}

// Normal, three corners, and two zero bytes.
void putRecord(std::byte* at, const geometry::TriangleMesh& mesh, std::size_t t, double perUnit) {
  const Double3 area = geometry::areaVector(mesh, t);
  const double twice = length(area);
  std::array<Float3, 4> record{};
  if (twice > 0.0) record[0] = asFloat(area, 1.0 / twice);
  for (std::size_t k = 0; k < 3; ++k)
    record[k + 1] = asFloat(mesh.vertex[mesh.triangle[t][k]], perUnit);
  std::memcpy(at, record.data(), sizeof record);
}
}  // namespace

void writeStl(const std::filesystem::path& path, const geometry::TriangleMesh& mesh,
              double unitMetres, std::string_view title) {
  const std::size_t count = mesh.triangle.size();
  if (count > std::numeric_limits<std::uint32_t>::max())
    stage::fail(
        stage::ExitCode::OutputFailed,
        fmt::format(
            "{}: {} triangles are more than an STL can hold (4294967295): make the mesh coarser.",
            path.string(), count));
  std::array<std::byte, headerBytes + 4> header{};
  if (title.starts_with("solid")) title.remove_prefix(5);
  std::memcpy(header.data(), title.data(), std::min(title.size(), headerBytes));
  const auto count32 = static_cast<std::uint32_t>(count);
  std::memcpy(header.data() + headerBytes, &count32, 4);
  stage::AtomicFile file(path);
  file.write(header);
  constexpr std::size_t chunk = 65536;  // triangles
  std::vector<std::byte> bytes(recordBytes * std::min(chunk, count));
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::size_t n = std::min(chunk, count - first);
    for (std::size_t t = 0; t < n; ++t)
      putRecord(bytes.data() + recordBytes * t, mesh, first + t, 1.0 / unitMetres);
    file.write(std::span<const std::byte>(bytes).first(recordBytes * n));
  }
  file.commit();
}

}  // namespace tessera::preprocess::sample
