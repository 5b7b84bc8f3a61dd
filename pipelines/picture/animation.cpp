// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/animation.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera::picture {

namespace {

std::string bigEndian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((value >> shift) & 0xffU);
  return bytes;
}

std::string bigEndian16(std::uint32_t value) {
  return bigEndian(value).substr(2);
}

std::uint32_t numberAt(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value = value << 8U | static_cast<std::uint8_t>(bytes[at + k]);
  return value;
}

// CRC of PNG chunks (ISO 3309).
std::uint32_t crcOf(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
      entries[n] = c;
    }
    return entries;
  }();
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes)
    crc = table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xffU] ^ (crc >> 8U);
  return crc ^ 0xffffffffU;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string content = std::string(type) + std::string(data);
  return bigEndian(static_cast<std::uint32_t>(data.size())) + content + bigEndian(crcOf(content));
}

constexpr std::size_t signatureBytes = 8;

// visit(type, data) for each chunk of a PNG that encodePng() wrote.
template <class Visit>
void forEachChunk(std::string_view png, const Visit& visit) {
  for (std::size_t at = signatureBytes; at + 12 <= png.size();) {
    const std::size_t size = numberAt(png, at);
    visit(png.substr(at + 4, 4), png.substr(at + 8, size));
    at += 12 + size;
  }
}

std::string_view headerOf(std::string_view png) {
  return png.substr(signatureBytes + 8, 13);
}

// fcTL: size and place of a frame, its delay as a fraction of a second.
std::string frameControl(std::uint32_t number, std::string_view header, int milliseconds) {
  const std::string noOffset(8, '\0');
  return chunk("fcTL", bigEndian(number) + std::string(header.substr(0, 8)) + noOffset +
                           bigEndian16(static_cast<std::uint32_t>(milliseconds)) +
                           bigEndian16(1000) + std::string(2, '\0'));
}

}  // namespace

Image halved(const Image& image) {
  Image half(image.width / 2, image.height / 2, white);
  const auto mean = [](int a, int b, int c, int d) {
    return static_cast<std::uint8_t>((a + b + c + d + 2) / 4);
  };
  for (int y = 0; y < half.height; ++y)
    for (int x = 0; x < half.width; ++x) {
      const Colour &a = image.at(2 * x, 2 * y), &b = image.at(2 * x + 1, 2 * y),
                   &c = image.at(2 * x, 2 * y + 1), &d = image.at(2 * x + 1, 2 * y + 1);
      half.at(x, y) = {mean(a.r, b.r, c.r, d.r), mean(a.g, b.g, c.g, d.g),
                       mean(a.b, b.b, c.b, d.b)};
    }
  return half;
}

std::string encodeAnimation(std::span<const std::string> pngs, int milliseconds) {
  if (pngs.empty()) return {};
  const auto frames = static_cast<std::uint32_t>(pngs.size());
  std::uint32_t number = 0;  // of fcTL and fdAT together
  std::string file = pngs.front().substr(0, signatureBytes);
  bool begun = false;
  forEachChunk(pngs.front(), [&](std::string_view type, std::string_view data) {
    if (type == "IEND") return;
    if (type == "IDAT" && !begun) {
      file += frameControl(number++, headerOf(pngs.front()), milliseconds);
      begun = true;
    }
    file += chunk(type, data);
    if (type == "IHDR") file += chunk("acTL", bigEndian(frames) + bigEndian(0));
  });
  for (const std::string& png : pngs.subspan(1)) {
    file += frameControl(number++, headerOf(png), milliseconds);
    forEachChunk(png, [&](std::string_view type, std::string_view data) {
      if (type == "IDAT") file += chunk("fdAT", bigEndian(number++) + std::string(data));
    });
  }
  return file + chunk("IEND", "");
}

}  // namespace tessera::picture
