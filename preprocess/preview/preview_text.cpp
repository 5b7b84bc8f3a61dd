// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/preview_text.hpp"

#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::preview {

std::string kindText(picture::MarkKind kind) {
  constexpr std::array words{"opening", "candidate", "closed, not resolved", "throat"};
  return words[static_cast<std::size_t>(kind)];
}

std::string factsLine(const Preview& preview) {
  const Int3& n = preview.nodes;
  std::string text = preview.dimensions == 2
                         ? fmt::format("{} \u00d7 {}", n[0], n[1])
                         : fmt::format("{} \u00d7 {} \u00d7 {}", n[0], n[1], n[2]);
  const picture::DisplayUnit unit = picture::displayUnit("m", preview.frame.spacing);
  text += fmt::format(" nodes of {} {}, {} of them fluid",
                      picture::formatNumber(unit.factor * preview.frame.spacing, 4), unit.name,
                      picture::formatCount(preview.fluidNodes));
  if (preview.fromVoxels) text += fmt::format(", porosity {:.3f}", preview.porosity());
  std::string axes;
  for (std::size_t a = 0; a < (preview.dimensions == 2 ? 2U : 3U); ++a)
    if (preview.periodic[a]) axes += "xyz"[a];
  return axes.empty() ? text : text + ", periodic on " + axes;
}

std::vector<std::pair<std::string, picture::Colour>> keysOf(const Preview& preview) {
  std::vector<std::pair<std::string, picture::Colour>> keys;
  if (preview.parts.flat) {
    for (const picture::ViewLabel& entry : preview.parts.lattice.entry)
      if (entry.name != "node at an opening" || !preview.openings.empty())
        keys.emplace_back(entry.name, entry.colour);
    return keys;
  }
  bool isOpeningKnown = false;
  for (const picture::ViewLabel& label : preview.parts.labels) {
    if (label.mark < 0) keys.emplace_back(label.name, label.colour);
    if (label.mark >= 0 && !isOpeningKnown) keys.emplace_back("opening", label.colour);
    isOpeningKnown = isOpeningKnown || label.mark >= 0;
  }
  return keys;
}

std::string clipped(const std::string& text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xc0U) == 0x80U) continue;
    if (++characters > most) return text.substr(0, k) + "\u2026";
  }
  return text;
}

}  // namespace tessera::preprocess::preview
