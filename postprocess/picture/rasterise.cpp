// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/rasterise.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int samples = 4;    // a pixel and axis
constexpr int bandRows = 16;  // pixels

Float3 operator*(float factor, const Float3& v) {
  return {factor * v[0], factor * v[1], factor * v[2]};
}
Float3 operator+(const Float3& a, const Float3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
float dotf(const Float3& a, const Float3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Float3 unitf(const Float3& v) {
  const float size = std::sqrt(dotf(v, v));
  return size > 0.0F ? (1.0F / size) * v : Float3{0.0F, 0.0F, 1.0F};
}
Float3 linearColour(const Colour& c) {
  return {linearFromSrgb(c.r), linearFromSrgb(c.g), linearFromSrgb(c.b)};
}

// --- light -----------------------------------------------------------------------------------

struct Light {
  Float3 direction;  // unit, view axes: right, up, toward the viewer
  float strength;
};

struct Lighting {
  float ambient = 0.36F;
  std::array<Light, 2> light{
      {{unitf({-0.45F, 0.65F, 0.75F}), 0.62F}, {unitf({0.75F, -0.10F, 0.50F}), 0.20F}}};
  float gloss = 0.10F;
};

// Linear light that leaves a surface of that colour towards the viewer.
Float3 shaded(const Lighting& lighting, const Float3& colour, Float3 normal, bool outside) {
  normal = unitf(normal);
  if (!outside) normal = -1.0F * normal;
  normal[2] = std::max(normal[2], 0.0F);
  float diffuse = lighting.ambient;
  for (const Light& light : lighting.light)
    diffuse += light.strength * std::max(0.0F, dotf(normal, light.direction));
  diffuse *= 0.72F + 0.28F * normal[2];  // outlines a little darker
  if (!outside) {
    const float grey = 0.30F * (0.3F * colour[0] + 0.6F * colour[1] + 0.1F * colour[2]) + 0.02F;
    return 0.5F * diffuse * (0.7F * colour + Float3{grey, grey, grey});
  }
  const Float3 half = unitf(lighting.light[0].direction + Float3{0.0F, 0.0F, 1.0F});
  float highlight = std::max(0.0F, dotf(normal, half));
  for (int i = 0; i < 5; ++i) highlight *= highlight;  // to the power of 32
  const float white = lighting.gloss * highlight;
  return diffuse * colour + Float3{white, white, white};
}

// --- triangles on the screen -----------------------------------------------------------------

struct ScreenMesh {
  const RenderMesh* mesh;
  std::vector<Projected> vertex;
  std::vector<Float3> palette;  // linear colours along the map, or the one plain colour
};

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
      const Triangle& corner = meshes[m].mesh->triangle[t];
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

// --- one band --------------------------------------------------------------------------------

struct Band {
  int firstRow, rows, columns;  // samples
  std::vector<float> depth;
  std::vector<Float3> light;
  Band(int firstPixelRow, int pixelRows, int pixelColumns)
      : firstRow(firstPixelRow * samples),
        rows(pixelRows * samples),
        columns(pixelColumns * samples),
        depth(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), -3e38F),
        light(depth.size()) {}
};

// Twice the signed area, positive when a, b, c run counter-clockwise seen with y up.
double edge(const Projected& a, const Projected& b, double x, double y) {
  return (b.y - a.y) * (x - a.x) - (b.x - a.x) * (y - a.y);
}

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

void drawTriangle(const ScreenMesh& screen, std::size_t t, const Camera& camera,
                  const Lighting& lighting, Band& band) {
  const Triangle& corner = screen.mesh->triangle[t];
  std::array<Projected, 3> p;
  std::array<float, 3> shade{};
  for (std::size_t k = 0; k < 3; ++k) {
    p[k] = screen.vertex[corner[k]];
    p[k].x *= samples;
    p[k].y *= samples;
    if (!screen.mesh->shade.empty()) shade[k] = screen.mesh->shade[corner[k]];
  }
  const double area = edge(p[0], p[1], p[2].x, p[2].y);
  if (area == 0.0) return;
  const auto [xLow, xHigh] = std::minmax({p[0].x, p[1].x, p[2].x});
  const auto [yLow, yHigh] = std::minmax({p[0].y, p[1].y, p[2].y});
  const int left = static_cast<int>(std::max(0.0, std::ceil(xLow - 0.5)));
  const int right = static_cast<int>(std::min(band.columns - 1.0, std::floor(xHigh - 0.5)));
  const int top = static_cast<int>(std::max<double>(band.firstRow, std::ceil(yLow - 0.5)));
  const int bottom =
      static_cast<int>(std::min(band.firstRow + band.rows - 1.0, std::floor(yHigh - 0.5)));
  const auto normal = viewNormals(screen.mesh->normal[t], camera);
  const auto last = static_cast<float>(screen.palette.size() - 1);
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const double a = edge(p[1], p[2], x + 0.5, y + 0.5) / area;
      const double b = edge(p[2], p[0], x + 0.5, y + 0.5) / area;
      const double c = 1.0 - a - b;
      if (a < 0.0 || b < 0.0 || c < 0.0) continue;
      const auto z = static_cast<float>(a * p[0].depth + b * p[1].depth + c * p[2].depth);
      const std::size_t s =
          static_cast<std::size_t>(y - band.firstRow) * static_cast<std::size_t>(band.columns) +
          static_cast<std::size_t>(x);
      if (z <= band.depth[s]) continue;
      band.depth[s] = z;
      const auto fa = static_cast<float>(a), fb = static_cast<float>(b), fc = static_cast<float>(c);
      const float place = std::clamp(fa * shade[0] + fb * shade[1] + fc * shade[2], 0.0F, 1.0F);
      band.light[s] =
          shaded(lighting, screen.palette[static_cast<std::size_t>(place * last + 0.5F)],
                 fa * normal[0] + fb * normal[1] + fc * normal[2], area > 0.0);
    }
}

// The samples' mean, in linear light, over what is on the image already.
void resolve(const Band& band, Image& image) {
  for (int y = band.firstRow / samples; y < (band.firstRow + band.rows) / samples; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Float3 behind = linearColour(image.at(x, y));
      Float3 sum{};
      bool drawn = false;
      for (int sy = 0; sy < samples; ++sy)
        for (int sx = 0; sx < samples; ++sx) {
          const std::size_t s = static_cast<std::size_t>(y * samples + sy - band.firstRow) *
                                    static_cast<std::size_t>(band.columns) +
                                static_cast<std::size_t>(x * samples + sx);
          const bool hit = band.depth[s] > -3e38F;
          drawn = drawn || hit;
          const Float3& light = hit ? band.light[s] : behind;
          // Before the mean, so that a highlight does not bleed over an edge.
          sum = sum + Float3{std::min(light[0], 1.0F), std::min(light[1], 1.0F),
                             std::min(light[2], 1.0F)};
        }
      if (!drawn) continue;
      constexpr float share = 1.0F / (samples * samples);
      image.at(x, y) = {srgbFromLinear(share * sum[0]), srgbFromLinear(share * sum[1]),
                        srgbFromLinear(share * sum[2])};
    }
}

}  // namespace

std::vector<std::array<Float3, 3>> smoothNormals(const std::vector<Double3>& vertex,
                                                 const std::vector<Triangle>& triangle,
                                                 double crease) {
  const double least = std::cos(crease * 3.14159265358979 / 180.0);
  std::vector<std::size_t> start(vertex.size() + 1, 0);
  for (const Triangle& t : triangle)
    for (std::uint32_t v : t) ++start[v + 1];
  for (std::size_t v = 0; v < vertex.size(); ++v) start[v + 1] += start[v];
  std::vector<std::uint32_t> around(start.back());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  std::vector<Double3> face(triangle.size());
  for (std::size_t t = 0; t < triangle.size(); ++t) {
    const Triangle& c = triangle[t];
    face[t] = cross(vertex[c[1]] - vertex[c[0]], vertex[c[2]] - vertex[c[0]]);
    for (std::uint32_t v : c) around[next[v]++] = static_cast<std::uint32_t>(t);
  }
  std::vector<std::array<Float3, 3>> normals(triangle.size());
  tbb::parallel_for(std::size_t{0}, triangle.size(), [&](std::size_t t) {
    for (std::size_t k = 0; k < 3; ++k) {
      Double3 sum{};
      const std::uint32_t v = triangle[t][k];
      for (std::size_t i = start[v]; i < start[v + 1]; ++i) {
        const Double3& other = face[around[i]];
        if (dot(other, face[t]) >= least * length(other) * length(face[t])) sum = sum + other;
      }
      const double size = length(sum);
      const Double3 unit = size > 0.0 ? (1.0 / size) * sum : Double3{0.0, 0.0, 1.0};
      normals[t][k] = {static_cast<float>(unit[0]), static_cast<float>(unit[1]),
                       static_cast<float>(unit[2])};
    }
  });
  return normals;
}

void rasterise(std::span<const RenderMesh> meshes, const Camera& camera, Image& image) {
  std::vector<ScreenMesh> screen;
  screen.reserve(meshes.size());
  for (const RenderMesh& mesh : meshes) screen.push_back(projectMesh(mesh, camera));
  const auto bands = sortIntoBands(screen, image.height);
  const Lighting lighting;
  tbb::parallel_for(std::size_t{0}, bands.size(), [&](std::size_t b) {
    if (bands[b].empty()) return;
    const int firstRow = static_cast<int>(b) * bandRows;
    Band band(firstRow, std::min(bandRows, image.height - firstRow), image.width);
    for (const TriangleRef& ref : bands[b])
      drawTriangle(screen[ref.mesh], ref.triangle, camera, lighting, band);
    resolve(band, image);
  });
}

}  // namespace tessera
