// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/rasterise.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tessera::picture {
namespace {

constexpr int samples = 4;  // per pixel and axis

struct ScreenMesh {
  const RenderMesh* mesh;
  std::vector<Projected> vertex;
  std::vector<Float3> palette;  // linear colours along the map, or one plain colour
};

constexpr std::uint32_t nothing = 0xffffffff;

// Rows and columns of samples from (firstRow, firstColumn).
struct Band {
  int firstRow, firstColumn, rows, columns;
  std::vector<float> depth;
  std::vector<std::uint32_t> seen;  // index of the band's triangle, or nothing
  std::vector<float> through;       // transmission of glass; empty without glass
  Float3 glass{};                   // colour of the glass

  // Pixels [x0, x1) x [y0, y1).
  Band(int x0, int x1, int y0, int y1)
      : firstRow(y0 * samples),
        firstColumn(x0 * samples),
        rows((y1 - y0) * samples),
        columns((x1 - x0) * samples),
        depth(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), -3e38F),
        seen(depth.size(), nothing) {}
};

// Twice the signed area, positive if a, b, (x, y) are counter-clockwise with y up.
double edge(const Projected& a, const Projected& b, double x, double y) {
  return (b.y - a.y) * (x - a.x) - (b.x - a.x) * (y - a.y);
}

// A triangle in samples, its corners' shades and normals, and its bounding box of samples in the
// band.
struct ScreenTriangle {
  std::array<Projected, 3> p;
  std::array<float, 3> shade{};
  std::array<Float3, 3> normal;
  double area = 0.0;  // as edge(); positive: outside visible
  int left = 0, right = -1, top = 0, bottom = -1;
};

// Corner normals in view axes.
std::array<Float3, 3> viewNormals(const std::array<Float3, 3>& world, const Camera& camera) {
  std::array<Float3, 3> view{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Double3 n{world[k][0], world[k][1], world[k][2]};
    view[k] = {static_cast<float>(dot(n, camera.right)), static_cast<float>(dot(n, camera.up)),
               static_cast<float>(dot(n, camera.toward))};
  }
  return view;
}

ScreenTriangle screenTriangle(const ScreenMesh& screen, std::size_t t, const Camera& camera,
                              const Band& band) {
  const stage::Triangle& corner = screen.mesh->triangle[t];
  ScreenTriangle s;
  for (std::size_t k = 0; k < 3; ++k) {
    s.p[k] = screen.vertex[corner[k]];
    s.p[k].x *= samples;
    s.p[k].y *= samples;
    if (!screen.mesh->shade.empty()) s.shade[k] = screen.mesh->shade[corner[k]];
  }
  s.area = edge(s.p[0], s.p[1], s.p[2].x, s.p[2].y);
  if (s.area == 0.0) return s;
  const auto [xLow, xHigh] = std::minmax({s.p[0].x, s.p[1].x, s.p[2].x});
  const auto [yLow, yHigh] = std::minmax({s.p[0].y, s.p[1].y, s.p[2].y});
  s.left = static_cast<int>(std::max<double>(band.firstColumn, std::ceil(xLow - 0.5)));
  s.right =
      static_cast<int>(std::min(band.firstColumn + band.columns - 1.0, std::floor(xHigh - 0.5)));
  s.top = static_cast<int>(std::max<double>(band.firstRow, std::ceil(yLow - 0.5)));
  s.bottom = static_cast<int>(std::min(band.firstRow + band.rows - 1.0, std::floor(yHigh - 0.5)));
  if (s.left <= s.right && s.top <= s.bottom)
    s.normal = viewNormals(screen.mesh->normal[t], camera);
  return s;
}

// Barycentric weight of a corner along a row of samples, linear in x.
struct RowWeight {
  double atLeft, slope;
};

RowWeight rowWeight(const Projected& a, const Projected& b, const ScreenTriangle& t, double y) {
  return {edge(a, b, t.left + 0.5, y) / t.area, (b.y - a.y) / t.area};
}

// Samples of a row, from the triangle's left, where no weight is negative; one more on either side
// against rounding.
std::array<int, 2> rowRange(const ScreenTriangle& t, const std::array<RowWeight, 3>& weights) {
  double first = 0.0, last = t.right - t.left;
  for (const RowWeight& w : weights) {
    if (w.slope > 0.0) first = std::max(first, -w.atLeft / w.slope - 1.0);
    if (w.slope < 0.0) last = std::min(last, -w.atLeft / w.slope + 1.0);
  }
  if (!(first <= last)) return {0, -1};
  return {static_cast<int>(first), static_cast<int>(last)};
}

// Calls draw(sample, depth, corner weights) for samples where the triangle is in front.
template <class Draw>
void forEachSampleInFront(const ScreenTriangle& t, const Band& band, Draw&& draw) {
  for (int y = t.top; y <= t.bottom; ++y) {
    const RowWeight rowA = rowWeight(t.p[1], t.p[2], t, y + 0.5);
    const RowWeight rowB = rowWeight(t.p[2], t.p[0], t, y + 0.5);
    const RowWeight rowC{1.0 - rowA.atLeft - rowB.atLeft, -rowA.slope - rowB.slope};
    const auto [first, last] = rowRange(t, {rowA, rowB, rowC});
    const std::size_t row =
        static_cast<std::size_t>(y - band.firstRow) * static_cast<std::size_t>(band.columns) +
        static_cast<std::size_t>(t.left - band.firstColumn);
    for (int i = first; i <= last; ++i) {
      const double a = rowA.atLeft + i * rowA.slope, b = rowB.atLeft + i * rowB.slope;
      const double c = 1.0 - a - b;
      if (a < 0.0 || b < 0.0 || c < 0.0) continue;
      const auto z = static_cast<float>(a * t.p[0].depth + b * t.p[1].depth + c * t.p[2].depth);
      const std::size_t s = row + static_cast<std::size_t>(i);
      if (z > band.depth[s])
        draw(s, z, Float3{static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)});
    }
  }
}

// Unit vector; a zero vector becomes the direction towards the viewer.
Float3 unitOrToward(const Float3& v) {
  const float size = length(v);
  return size > 0.0F ? (1.0F / size) * v : Float3{0.0F, 0.0F, 1.0F};
}

struct Light {
  Float3 direction;  // unit, view axes: right, up, toward the viewer
  float strength;
};

struct Lighting {
  float ambient = 0.36F;
  std::array<Light, 2> light{{{unitOrToward({-0.45F, 0.65F, 0.75F}), 0.62F},
                              {unitOrToward({0.75F, -0.10F, 0.50F}), 0.20F}}};
  float gloss = 0.10F;
  Float3 half = unitOrToward(light[0].direction + Float3{0.0F, 0.0F, 1.0F});  // to the viewer
};

// Shading with two lights and a highlight (J. F. Blinn 1977): linear light towards the viewer from
// a surface of a linear colour. The outward normal in view axes (right, up, toward the viewer), of
// any length; the inside is darker.
Float3 shaded(const Float3& colour, Float3 normal, bool outside) {
  static const Lighting lighting;
  normal = unitOrToward(normal);
  if (!outside) normal = -1.0F * normal;
  normal[2] = std::max(normal[2], 0.0F);
  float diffuse = lighting.ambient;
  for (const Light& light : lighting.light)
    diffuse += light.strength * std::max(0.0F, dot(normal, light.direction));
  diffuse *= 0.72F + 0.28F * normal[2];  // outlines slightly darker
  if (!outside) {
    const float grey = 0.30F * (0.3F * colour[0] + 0.6F * colour[1] + 0.1F * colour[2]) + 0.02F;
    return 0.5F * diffuse * (0.7F * colour + Float3{grey, grey, grey});
  }
  float highlight = std::max(0.0F, dot(normal, lighting.half));
  for (int i = 0; i < 5; ++i) highlight *= highlight;  // to the power of 32
  const float white = lighting.gloss * highlight;
  return diffuse * colour + Float3{white, white, white};
}

constexpr int bandRows = 16;  // pixels

// Absorption of one layer of glass: face on, and added towards its silhouette.
constexpr float glassFace = 0.05F, glassRim = 0.55F;

// Triangles on the screen

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

// Triangles that touch each band of rows, in the given order.
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

// Pixel columns reached by the meshes: from, to.
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

// One band

Float3 normalAt(const ScreenTriangle& t, const Float3& weight) {
  return weight[0] * t.normal[0] + weight[1] * t.normal[1] + weight[2] * t.normal[2];
}

void drawGlass(const ScreenMesh& screen, const ScreenTriangle& t, Band& band) {
  if (band.through.empty()) band.through.assign(band.depth.size(), 1.0F);
  band.glass = screen.palette.front();
  Float3 through{};  // at the corners, linear between
  for (std::size_t k = 0; k < 3; ++k) {
    const float aslant = 1.0F - std::abs(unitOrToward(t.normal[k])[2]);
    through[k] = 1.0F - glassFace - glassRim * aslant * aslant * aslant;
  }
  forEachSampleInFront(t, band, [&](std::size_t s, float, const Float3& weight) {
    band.through[s] *= dot(weight, through);
  });
}

// Light of a triangle at the mean position (x, y) of its samples.
Float3 lightOf(const ScreenMesh& screen, const ScreenTriangle& t, double x, double y) {
  const auto a = static_cast<float>(edge(t.p[1], t.p[2], x, y) / t.area);
  const auto b = static_cast<float>(edge(t.p[2], t.p[0], x, y) / t.area);
  const Float3 weight{a, b, 1.0F - a - b};
  const float position = std::clamp(dot(weight, t.shade), 0.0F, 1.0F);
  const auto last = static_cast<float>(screen.palette.size() - 1);
  const Float3 light = shaded(screen.palette[static_cast<std::size_t>(position * last + 0.5F)],
                              normalAt(t, weight), t.area > 0.0);
  // Clamped before averaging, so that a highlight does not bleed over an edge.
  return {std::min(light[0], 1.0F), std::min(light[1], 1.0F), std::min(light[2], 1.0F)};
}

// Part of a pixel that one triangle or the background covers: sums over samples.
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

// Writes the band's pixels in linear light over the image; each triangle is shaded once per pixel.
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
