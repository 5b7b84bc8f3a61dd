// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/rasterise.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "pipelines/picture/coverage.hpp"
#include "pipelines/picture/shading.hpp"

namespace tessera::picture {
namespace {

constexpr int bandRows = 16;  // pixels

// What one layer of glass takes of the light: seen face on, and more towards its silhouette.
constexpr float glassFace = 0.05F, glassRim = 0.55F;

// --- triangles on the screen -----------------------------------------------------------------

Float3 linearColour(const Colour& c) {
  return {linearFromSrgb(c.r), linearFromSrgb(c.g), linearFromSrgb(c.b)};
}

struct TriangleRef {
  std::uint32_t mesh;
  std::uint32_t triangle;
};

ScreenMesh projectMesh(const RenderMesh& mesh, const Camera& camera) {
  ScreenMesh screen{&mesh, std::vector<Projected>(mesh.vertex.size()), {}};
  tbb::parallel_for(std::size_t{0}, mesh.vertex.size(),
                    [&](std::size_t v) { screen.vertex[v] = camera.project(mesh.vertex[v]); });
  constexpr int entries = 1024;
  if (mesh.shade.empty()) screen.palette.push_back(linearColour(mesh.plain));
  for (int i = 0; i < entries && !mesh.shade.empty(); ++i)
    screen.palette.push_back(linearColour(mapColour(mesh.map, i / (entries - 1.0))));
  return screen;
}

// For each band of rows the triangles that touch it, in the order given.
std::vector<std::vector<TriangleRef>> sortIntoBands(const std::vector<ScreenMesh>& meshes,
                                                    int height) {
  const int bands = (height + bandRows - 1) / bandRows;
  std::vector<std::vector<TriangleRef>> band(static_cast<std::size_t>(bands));
  for (std::size_t m = 0; m < meshes.size(); ++m)
    for (std::size_t t = 0; t < meshes[m].mesh->triangle.size(); ++t) {
      const stage::Triangle& corner = meshes[m].mesh->triangle[t];
      const auto [low, high] =
          std::minmax({meshes[m].vertex[corner[0]].y, meshes[m].vertex[corner[1]].y,
                       meshes[m].vertex[corner[2]].y});
      if (!(high >= 0.0 && low < height)) continue;
      const int first = static_cast<int>(std::max(low, 0.0)) / bandRows;
      const int last = static_cast<int>(std::min(high, height - 1.0)) / bandRows;
      for (int b = first; b <= last; ++b)
        band[static_cast<std::size_t>(b)].push_back(
            {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(t)});
    }
  return band;
}

// The pixel columns that the meshes reach: from, to.
std::array<int, 2> columnsOf(const std::vector<ScreenMesh>& meshes, int width) {
  double left = width, right = 0.0;
  for (const ScreenMesh& mesh : meshes)
    for (const Projected& v : mesh.vertex) {
      left = std::min(left, v.x);
      right = std::max(right, v.x);
    }
  const int first = static_cast<int>(std::clamp(std::floor(left), 0.0, width - 1.0));
  return {first, static_cast<int>(std::clamp(std::ceil(right) + 1.0, first + 1.0, width + 0.0))};
}

// --- one band --------------------------------------------------------------------------------

Float3 normalAt(const ScreenTriangle& t, const Float3& weight) {
  return weight[0] * t.normal[0] + weight[1] * t.normal[1] + weight[2] * t.normal[2];
}

void drawGlass(const ScreenMesh& screen, const ScreenTriangle& t, Band& band) {
  if (band.through.empty()) band.through.assign(band.depth.size(), 1.0F);
  band.glass = screen.palette.front();
  Float3 through{};  // at the corners, linear between
  for (std::size_t k = 0; k < 3; ++k) {
    const float aslant = 1.0F - std::abs(unitf(t.normal[k])[2]);
    through[k] = 1.0F - glassFace - glassRim * aslant * aslant * aslant;
  }
  forEachSampleInFront(t, band, [&](std::size_t s, float, const Float3& weight) {
    band.through[s] *= dotf(weight, through);
  });
}

// Light from the triangle where its samples' middle (x, y) lies.
Float3 lightOf(const ScreenMesh& screen, const ScreenTriangle& t, double x, double y) {
  const auto a = static_cast<float>(edge(t.p[1], t.p[2], x, y) / t.area);
  const auto b = static_cast<float>(edge(t.p[2], t.p[0], x, y) / t.area);
  const Float3 weight{a, b, 1.0F - a - b};
  const float place = std::clamp(dotf(weight, t.shade), 0.0F, 1.0F);
  const auto last = static_cast<float>(screen.palette.size() - 1);
  const Float3 light = shaded(screen.palette[static_cast<std::size_t>(place * last + 0.5F)],
                              normalAt(t, weight), t.area > 0.0);
  // Before the mean, so that a highlight does not bleed over an edge.
  return {std::min(light[0], 1.0F), std::min(light[1], 1.0F), std::min(light[2], 1.0F)};
}

// What one triangle, or the background, has of a pixel: sums over its samples.
struct Share {
  std::uint32_t seen = nothing;
  float count = 0.0F, through = 0.0F;
  double x = 0.0, y = 0.0;
};

struct Pixel {
  std::array<Share, samples * samples> share;
  std::size_t shares = 0;
  [[nodiscard]] bool empty() const {
    return shares == 1 && share[0].seen == nothing && share[0].through == share[0].count;
  }
};

Pixel pixelOf(const Band& band, int column, int row) {
  Pixel pixel;
  for (int sy = row; sy < row + samples; ++sy)
    for (int sx = column; sx < column + samples; ++sx) {
      const std::size_t s = static_cast<std::size_t>(sy) * static_cast<std::size_t>(band.columns) +
                            static_cast<std::size_t>(sx);
      std::size_t k = 0;
      while (k < pixel.shares && pixel.share[k].seen != band.seen[s]) ++k;
      if (k == pixel.shares) pixel.share[pixel.shares++] = {band.seen[s]};
      Share& share = pixel.share[k];
      share.count += 1.0F;
      share.through += band.through.empty() ? 1.0F : band.through[s];
      share.x += sx + band.firstColumn + 0.5;
      share.y += sy + band.firstRow + 0.5;
    }
  return pixel;
}

// The mean light of the band's pixels over what is on the image already; each triangle is shaded
// once a pixel.
void resolve(const Band& band, std::span<const ScreenMesh> screen,
             std::span<const TriangleRef> triangles, const Camera& camera, Image& image) {
  constexpr float all = samples * samples;
  for (int row = 0; row < band.rows; row += samples)
    for (int column = 0; column < band.columns; column += samples) {
      const Pixel pixel = pixelOf(band, column, row);
      if (pixel.empty()) continue;
      Colour& shown =
          image.at((band.firstColumn + column) / samples, (band.firstRow + row) / samples);
      Float3 sum{};
      for (std::size_t k = 0; k < pixel.shares; ++k) {
        const Share& share = pixel.share[k];
        const auto count = static_cast<double>(share.count);
        Float3 light = linearColour(shown);
        if (share.seen != nothing) {
          const TriangleRef& ref = triangles[share.seen];
          light = lightOf(screen[ref.mesh],
                          screenTriangle(screen[ref.mesh], ref.triangle, camera, band),
                          share.x / count, share.y / count);
        }
        sum = sum + share.through * light + (share.count - share.through) * band.glass;
      }
      shown = {srgbFromLinear(sum[0] / all), srgbFromLinear(sum[1] / all),
               srgbFromLinear(sum[2] / all)};
    }
}

void drawBand(std::span<const ScreenMesh> screen, std::span<const TriangleRef> triangles,
              const Camera& camera, Band& band) {
  for (const bool glass : {false, true})
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const ScreenMesh& mesh = screen[triangles[i].mesh];
      if (mesh.mesh->glass != glass) continue;
      const ScreenTriangle t = screenTriangle(mesh, triangles[i].triangle, camera, band);
      if (glass) {
        drawGlass(mesh, t, band);
        continue;
      }
      forEachSampleInFront(t, band, [&](std::size_t s, float z, const Float3&) {
        band.depth[s] = z;
        band.seen[s] = static_cast<std::uint32_t>(i);
      });
    }
}

}  // namespace

void rasterise(const RenderMesh& mesh, const Camera& camera, Image& image) {
  const std::array meshes{&mesh};
  rasterise(meshes, camera, image);
}

void rasterise(std::span<const RenderMesh* const> meshes, const Camera& camera, Image& image) {
  std::vector<ScreenMesh> screen;
  screen.reserve(meshes.size());
  for (const RenderMesh* mesh : meshes) screen.push_back(projectMesh(*mesh, camera));
  const auto bands = sortIntoBands(screen, image.height);
  const auto [left, right] = columnsOf(screen, image.width);
  tbb::parallel_for(std::size_t{0}, bands.size(), [&, first = left, last = right](std::size_t b) {
    if (bands[b].empty()) return;
    const int row = static_cast<int>(b) * bandRows;
    Band band(first, last, row, std::min(row + bandRows, image.height));
    drawBand(screen, bands[b], camera, band);
    resolve(band, screen, bands[b], camera, image);
  });
}

}  // namespace tessera::picture
