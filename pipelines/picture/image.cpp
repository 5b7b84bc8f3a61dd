// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/image.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "pipelines/picture/typeset.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::picture {
namespace {

void appendBytes(png_structp png, png_bytep data, png_size_t size) {
  auto* target = static_cast<std::string*>(png_get_io_ptr(png));
  target->append(reinterpret_cast<const char*>(data), size);
}

void nothingToFlush(png_structp) {}

[[noreturn]] void throwPngError(png_structp, png_const_charp message) {
  stage::fail(stage::ExitCode::OutputFailed,
              fmt::format("a picture could not be encoded: {}.", message));
}

void ignoreWarning(png_structp, png_const_charp) {}

}  // namespace

std::string encodePng(const Image& image, std::uint32_t pixelsPerMetre) {
  std::string bytes;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, throwPngError, ignoreWarning);
  png_infop info = png_create_info_struct(png);
  try {
    png_set_write_fn(png, &bytes, appendBytes, nothingToFlush);
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_pHYs(png, info, pixelsPerMetre, pixelsPerMetre, PNG_RESOLUTION_METER);
    // Against all filters at level 6 a third of the time for 10 % more bytes.
    png_set_compression_level(png, 4);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_write_info(png, info);
    for (int y = 0; y < image.height; ++y)
      png_write_row(png, reinterpret_cast<png_const_bytep>(&image.at(0, y)));
    png_write_end(png, info);
  } catch (...) {
    png_destroy_write_struct(&png, &info);
    throw;
  }
  png_destroy_write_struct(&png, &info);
  return bytes;
}

void writePng(const std::filesystem::path& path, const Image& image) {
  stage::writeTextAtomically(path, encodePng(image));
}

namespace {

// Covered fraction of each pixel of a box, 0..1.
struct Coverage {
  int x0 = 0, y0 = 0, width = 0, height = 0;
  std::vector<float> value;

  // The box clipped to the image.
  Coverage(double left, double top, double right, double bottom, const Image& image) {
    x0 = static_cast<int>(std::clamp(std::floor(left), 0.0, static_cast<double>(image.width)));
    y0 = static_cast<int>(std::clamp(std::floor(top), 0.0, static_cast<double>(image.height)));
    width = static_cast<int>(std::clamp(std::ceil(right), 0.0, image.width + 0.0)) - x0;
    height = static_cast<int>(std::clamp(std::ceil(bottom), 0.0, image.height + 0.0)) - y0;
    width = std::max(width, 0);
    height = std::max(height, 0);
    value.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0F);
  }
  [[nodiscard]] float& at(int x, int y) {
    return value[static_cast<std::size_t>(y - y0) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x - x0)];
  }
};

struct Box {
  double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
  void include(const Point& p) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
};

double distanceToSegment(double px, double py, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  const double along =
      length2 > 0.0 ? std::clamp(((px - a.x) * dx + (py - a.y) * dy) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(px - a.x - along * dx, py - a.y - along * dy);
}

void coverSegment(Coverage& mask, const Point& a, const Point& b, double radius) {
  const double reach = radius + 1.0;
  const int left = std::max(mask.x0, static_cast<int>(std::floor(std::min(a.x, b.x) - reach)));
  const int right =
      std::min(mask.x0 + mask.width - 1, static_cast<int>(std::ceil(std::max(a.x, b.x) + reach)));
  const int top = std::max(mask.y0, static_cast<int>(std::floor(std::min(a.y, b.y) - reach)));
  const int bottom =
      std::min(mask.y0 + mask.height - 1, static_cast<int>(std::ceil(std::max(a.y, b.y) + reach)));
  // A pen thinner than a pixel is drawn one pixel wide and proportionally fainter.
  const double drawn = std::max(radius, 0.5);
  const double faint = radius / drawn;
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const double inside = drawn + 0.5 - distanceToSegment(x + 0.5, y + 0.5, a, b);
      float& cover = mask.at(x, y);
      cover = std::max(cover, static_cast<float>(faint * std::clamp(inside, 0.0, 1.0)));
    }
}

void blendCoverage(Coverage& mask, const Colour& colour, double opacity, Image& image) {
  for (int y = mask.y0; y < mask.y0 + mask.height; ++y)
    for (int x = mask.x0; x < mask.x0 + mask.width; ++x)
      if (const float cover = mask.at(x, y); cover > 0.0F)
        blend(image.at(x, y), colour, opacity * static_cast<double>(cover));
}

// One pen for all strokes: where they cross, colour is applied once.
void paintStrokes(const std::vector<std::vector<Point>>& strokes, double width,
                  const Colour& colour, double opacity, Image& image) {
  Box box;
  for (const auto& stroke : strokes)
    for (const Point& p : stroke) box.include(p);
  if (box.right < box.left) return;
  const double reach = width / 2 + 2.0;
  Coverage mask(box.left - reach, box.top - reach, box.right + reach, box.bottom + reach, image);
  for (const auto& stroke : strokes)
    for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
      coverSegment(mask, stroke[i], stroke[i + 1], width / 2);
  blendCoverage(mask, colour, opacity, image);
}

// Adds weight times the covered part of each pixel of row y between two x.
void coverSpan(Coverage& mask, int y, double from, double to, float weight) {
  from = std::max(from, static_cast<double>(mask.x0));
  to = std::min(to, static_cast<double>(mask.x0 + mask.width));
  for (int x = static_cast<int>(from); x < mask.x0 + mask.width && x < to; ++x) {
    const double part = std::min(to, x + 1.0) - std::max(from, static_cast<double>(x));
    if (part > 0.0) mask.at(x, y) += weight * static_cast<float>(part);
  }
}

enum class FillRule { EvenOdd, NonZero };

// Where a contour crosses a row of samples: downwards +1, upwards -1.
struct Crossing {
  double x;
  int turn;
};

void findCrossings(const std::vector<Point>& corners, double row, std::vector<Crossing>& found) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
    if ((a.y <= row) == (b.y <= row)) continue;
    found.push_back({a.x + (row - a.y) / (b.y - a.y) * (b.x - a.x), a.y <= row ? 1 : -1});
  }
}

void paintContours(const std::vector<std::vector<Point>>& contours, FillRule rule,
                   const Colour& colour, double opacity, Image& image) {
  constexpr int subRows = 8;
  Box box;
  for (const auto& contour : contours)
    for (const Point& p : contour) box.include(p);
  if (box.right < box.left) return;
  Coverage mask(box.left, box.top, box.right + 1.0, box.bottom + 1.0, image);
  std::vector<Crossing> crossings;
  for (int y = mask.y0; y < mask.y0 + mask.height; ++y)
    for (int sub = 0; sub < subRows; ++sub) {
      crossings.clear();
      for (const auto& contour : contours)
        findCrossings(contour, y + (sub + 0.5) / subRows, crossings);
      std::sort(crossings.begin(), crossings.end(),
                [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
      int inside = 0;
      for (std::size_t i = 0; i + 1 < crossings.size(); ++i) {
        inside = rule == FillRule::NonZero ? inside + crossings[i].turn : 1 - inside;
        if (inside != 0) coverSpan(mask, y, crossings[i].x, crossings[i + 1].x, 1.0F / subRows);
      }
    }
  blendCoverage(mask, colour, opacity, image);
}

// Not so at damaged values.
bool isFinite(const Point& p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

void paintLabel(const Label& label, double scale, Image& image) {
  if (!isFinite(label.at)) return;
  const double size = label.size * scale;
  TextOutline text = typeset(label.text, label.bold);
  const double width = text.width * size;
  const double shift = label.anchor == Anchor::Start    ? 0.0
                       : label.anchor == Anchor::Middle ? -width / 2
                                                        : -width;
  for (auto& contour : text.contours)
    for (Point& p : contour) {
      const double along = shift + p.x * size, across = p.y * size;
      p = label.upwards ? Point{label.at.x * scale + across, label.at.y * scale - along}
                        : Point{label.at.x * scale + along, label.at.y * scale + across};
    }
  if (label.halo > 0.0) {
    auto rims = text.contours;
    for (auto& rim : rims) rim.push_back(rim.front());
    paintStrokes(rims, 2.0 * label.halo * scale, white, 0.85, image);
  }
  paintContours(text.contours, FillRule::NonZero, label.colour, 1.0, image);
}

// Without points that are not finite.
std::vector<Point> scaled(const std::vector<Point>& points, double scale) {
  std::vector<Point> out;
  out.reserve(points.size());
  for (const Point& p : points)
    if (const Point at{p.x * scale, p.y * scale}; isFinite(at)) out.push_back(at);
  return out;
}

}  // namespace

void paint(const Drawing& drawing, double scale, Image& image) {
  for (const auto& shape : drawing.shapes) {
    if (const auto* stroke = std::get_if<Stroke>(&shape))
      paintStrokes({scaled(stroke->points, scale)}, stroke->width * scale, stroke->colour,
                   stroke->opacity, image);
    else if (const auto* area = std::get_if<Area>(&shape))
      paintContours({scaled(area->points, scale)}, FillRule::EvenOdd, area->colour, area->opacity,
                    image);
    else
      paintLabel(std::get<Label>(shape), scale, image);
  }
}

}  // namespace tessera::picture
