// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/ome_xml.hpp"

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

// pugixml takes up to 128 bytes per tag and 40 per attribute.
constexpr std::ptrdiff_t maxTags = 500'000;
constexpr std::ptrdiff_t maxAttributes = 1'500'000;

[[noreturn]] void refuse(const std::string& name, const std::string& found,
                         const std::string& remedy) {
  stage::fail(stage::ExitCode::BadInput, name + " " + found + "; " + remedy + ".");
}

void load(pugi::xml_document& xml, std::string_view text, const std::string& name) {
  if (std::count(text.begin(), text.end(), '<') > maxTags ||
      std::count(text.begin(), text.end(), '=') > maxAttributes)
    refuse(name,
           fmt::format("has OME-XML of more than {} tags or {} attributes", maxTags, maxAttributes),
           "save the stack as TIFF");
  const pugi::xml_parse_result result = xml.load_buffer(
      text.data(), text.size(), pugi::parse_minimal | pugi::parse_escapes, pugi::encoding_utf8);
  if (!result)
    refuse(name,
           fmt::format("has damaged OME-XML, at byte {} ({})", result.offset, result.description()),
           "export it again");
}

// Name without the prefix of its namespace ("ome:Pixels").
std::string_view localName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);
}

std::vector<pugi::xml_node> childrenOf(const pugi::xml_node& node, std::string_view name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& child : node.children())
    if (localName(child) == name) found.push_back(child);
  return found;
}

// The first of that name, or an empty one.
pugi::xml_node childOf(const pugi::xml_node& node, std::string_view name) {
  const std::vector<pugi::xml_node> all = childrenOf(node, name);
  return all.empty() ? pugi::xml_node() : all.front();
}

// A count of at least 1; 1 if it is missing.
std::int64_t countOf(const pugi::xml_node& node, const char* attribute, const std::string& name) {
  const std::string_view text = node.attribute(attribute).value();
  const std::int64_t count = text.empty() ? 1 : wholeNumberOf(text).value_or(0);
  if (count < 1)
    refuse(name, fmt::format("has the {} \"{}\" in its OME-XML", attribute, text.substr(0, 40)),
           "it is damaged: export it again");
  return count;
}

pugi::xml_node onlyPixels(const pugi::xml_node& root, const std::string& name) {
  const std::vector<pugi::xml_node> images = childrenOf(root, "Image");
  if (images.size() != 1)
    refuse(name, fmt::format("has {} images by its OME-XML, expected one", images.size()),
           "export a single one to a file of its own");
  const pugi::xml_node pixels = childOf(images.front(), "Pixels");
  const std::int64_t channels = countOf(pixels, "SizeC", name);
  const std::int64_t times = countOf(pixels, "SizeT", name);
  if (channels > 1 || times > 1)
    refuse(name,
           fmt::format("has {} and {} by its OME-XML, expected a single stack",
                       stage::plural(channels, "channel"), stage::plural(times, "time")),
           "export a single one");
  return pixels;
}

// TiffData gives the first plane of the pages from IFD on; both count from 0, their defaults.
void requirePagesInOrder(const pugi::xml_node& pixels, const std::string& name) {
  for (const pugi::xml_node& data : childrenOf(pixels, "TiffData")) {
    const std::int64_t page = wholeNumberOf(data.attribute("IFD").as_string("0")).value_or(-1);
    const std::int64_t plane = wholeNumberOf(data.attribute("FirstZ").as_string("0")).value_or(-1);
    if (page < 0 || page != plane)
      refuse(name,
             fmt::format("has plane {} of its OME-XML as page {}, so its planes are in several "
                         "files or not in order",
                         plane, page),
             "save the stack as one file, planes in order");
  }
}

double sizeOf(const pugi::xml_node& pixels, char axis, OmePixels& found) {
  const std::string attribute = std::string("PhysicalSize") + axis;
  const std::string_view text = pixels.attribute(attribute.c_str()).value();
  if (text.empty()) return 0.0;
  const std::string unit = pixels.attribute((attribute + "Unit").c_str()).as_string("um");
  const std::optional<double> metres = metresOf(unit);
  const double size = metres.value_or(NAN) * numberOf(text).value_or(NAN);
  if (size > 0.0 && std::isfinite(size)) {
    if (axis == 'X') found.metresPerUnit = *metres;
    return size;
  }
  found.warnings.push_back(
      fmt::format("the OME-XML gives {} as \"{} {}\", which is no length; it is ignored.",
                  attribute, text.substr(0, 40), unit.substr(0, 40)));
  return 0.0;
}

}  // namespace

bool looksLikeOme(std::string_view description) {
  const std::string_view start = description.substr(0, 4096);
  if (!withoutBlanks(start.substr(0, 16)).starts_with('<')) return false;
  for (std::size_t at = start.find("OME"); at != start.npos; at = start.find("OME", at + 1)) {
    const std::string_view before = start.substr(0, at), after = start.substr(at + 3);
    const bool ends = !after.empty() && std::string_view(" >\t\r\n").find(after[0]) != after.npos;
    const std::string_view tag = before.substr(std::min(before.rfind('<') + 1, before.size()));
    const bool isPrefix = tag.ends_with(':') && tag.find_first_of(" \t\r\n\"'>=") == tag.npos;
    if (ends && before.find('<') != before.npos && (tag.empty() || isPrefix)) return true;
  }
  return false;
}

OmePixels omePixels(std::string_view description, const std::string& name) {
  pugi::xml_document xml;
  load(xml, description, name);
  const pugi::xml_node pixels = onlyPixels(childOf(xml, "OME"), name);
  requirePagesInOrder(pixels, name);
  OmePixels found;
  found.width = countOf(pixels, "SizeX", name);
  found.height = countOf(pixels, "SizeY", name);
  found.planes = countOf(pixels, "SizeZ", name);
  for (std::size_t a = 0; a < 3; ++a) found.voxel[a] = sizeOf(pixels, "XYZ"[a], found);
  return found;
}

}  // namespace tessera::preprocess::read
