// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-preprocess from [preprocess] of a case file.
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"

namespace tessera::preprocess {

using stage::CaseTable;

namespace {

// Runs a check and refuses the value with its error.
template <class Check>
void checkAt(const CaseTable& table, const char* key, const std::string& text, const Check& check) {
  try {
    check(text);
  } catch (const stage::StageError& error) {
    table.refuse(key, table.where(key) + ": " + error.what());
  }
}

template <class Check>
std::optional<std::string> checkedText(CaseTable& table, const char* key, const Check& check) {
  const std::optional<std::string> text = table.text(key);
  if (text) checkAt(table, key, *text, check);
  return text;
}

template <class Check>
std::vector<std::string> checkedTexts(CaseTable& table, const char* key, const Check& check) {
  const std::vector<std::string> texts = table.texts(key);
  for (const std::string& text : texts) checkAt(table, key, text, check);
  return texts;
}

// A length above 0.
std::optional<std::string> lengthText(CaseTable& table, const char* key) {
  const std::optional<double> metres = table.quantity(key, stage::Dimension::Length);
  if (metres && !(*metres > 0.0))
    table.refuse(key, table.where(key) + ": " + key + " must be more than 0.");
  return metres ? std::optional(exactText(*metres) + " m") : std::nullopt;
}

// A number or a text, as a text.
std::optional<std::string> numberText(CaseTable& table, const char* key) {
  if (table.isText(key)) return table.text(key);
  const auto value = table.quantity(key, stage::Dimension::None);
  if (!value) return std::nullopt;
  return exactText(*value);
}

std::optional<std::string> wholeNumberText(std::optional<std::int64_t> value) {
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

std::optional<std::string> nodeCountText(CaseTable& table, const char* key) {
  const auto nodes = numberText(table, key);
  if (nodes)
    checkAt(table, key, *nodes, [&](const std::string& text) { parseNodeCount(key, text); });
  return nodes;
}

void addSpacing(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.spacing || given.longest || given.across;
  const auto spacing = lengthText(table, "spacing");
  const auto longest = table.integer("longest", 1, 1 << 30);
  const auto across = table.isText("across") ? checkedText(table, "across", parseAcross)
                                             : wholeNumberText(table.integer("across", 1, 1 << 30));
  if (onCommandLine) return;
  given.spacing = spacing;
  given.longest = longest;
  given.across = across;
}

void addFluidValues(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.pore || given.threshold;
  const auto pore = numberText(table, "pore");
  if (pore) checkAt(table, "pore", *pore, parseFluidLabels);
  const auto threshold = checkedText(
      table, "threshold", [](const std::string& text) { parseNumbers("--threshold", text, 2); });
  if (onCommandLine) return;
  given.pore = pore;
  given.threshold = threshold;
}

// Notes where the case gives an option that the command line does not.
void notePlace(const CaseTable& table, const char* key, GivenOptions& given) {
  given.ofCase.push_back(
      {fmt::format("--{}", key), fmt::format("{}: [preprocess] {}", table.where(key), key)});
}

const auto checkAxes = [](const char* name) {
  return [name](const std::string& text) { parseAxes(name, text); };
};

void addListsOfCase(CaseTable& table, GivenOptions& given) {
  const auto fill = [](std::vector<std::string>& target, std::vector<std::string> texts) {
    if (target.empty()) target = std::move(texts);
  };
  fill(given.cut, checkedTexts(table, "cut", [](const std::string& text) { parseCut(text, 1.0); }));
  fill(given.extend, checkedTexts(table, "extend", parseExtension));
  fill(given.name, checkedTexts(table, "name", parseName));
  fill(given.wall, checkedTexts(table, "wall", parseWall));
  const auto checkNamed = [](const char* name) {
    return [name](const std::string& text) { parseLabelName(name, text); };
  };
  fill(given.wallLabel, checkedTexts(table, "wall_label", checkNamed("--wall-label")));
  fill(given.branch, checkedTexts(table, "branch", checkNamed("--branch")));
  const std::vector<std::string> open = table.textsOrNumbers("open");
  for (const std::string& text : open)
    checkAt(table, "open", text, [](const std::string& place) { parseOpen(place, 1.0); });
  const std::vector<std::string> close = table.textsOrNumbers("close");
  if (given.open.empty() && !open.empty()) notePlace(table, "open", given);
  if (given.close.empty() && !close.empty()) notePlace(table, "close", given);
  fill(given.open, open);
  fill(given.close, close);
}

}  // namespace

void addCase(CaseTable table, GivenOptions& given) {
  const stage::MistakeNotes mistakes(table.mistakes());
  const auto fill = [](auto& target, auto value) {
    if (!target && value) target = value;
  };
  fill(given.unit, table.word("unit", {"mm", "cm", "m", "um"}));
  addSpacing(table, given);
  fill(given.maxNodes, nodeCountText(table, "max_nodes"));
  fill(given.weld, lengthText(table, "weld"));
  fill(given.wrap, lengthText(table, "wrap"));
  fill(given.sheets, table.word("sheets", {"keep", "drop"}));
  addListsOfCase(table, given);
  const auto openings = table.integer("openings", 0, 32767);
  if (!given.openings && openings) notePlace(table, "openings", given);
  fill(given.openings, openings);
  fill(given.voxel, lengthText(table, "voxel"));
  fill(given.dims, checkedText(table, "dims", [](const std::string& text) {
         parseWholeNumbers("--dims", text, 3, 1, 1 << 20);
       }));
  fill(given.series, table.integer("series", 1, 1 << 30));
  fill(given.type, table.word("type", {"u8", "u16", "i16", "f32"}));
  fill(given.crop, checkedText(table, "crop", parseCrop));
  addFluidValues(table, given);
  fill(given.mirror, checkedText(table, "mirror", checkAxes("--mirror")));
  given.smooth |= table.flag("smooth").value_or(false);
  fill(given.keep, table.word("keep", {"all", "connected"}));
  fill(given.periodic, checkedText(table, "periodic", checkAxes("--periodic")));
  fill(given.faces, checkedText(table, "faces", parseFaces));
  given.pictureOfOutput = table.flag("picture").value_or(false);
  given.pageOfOutput = table.flag("page").value_or(false);
  table.rejectUnknown();
  mistakes.reject();
}

}  // namespace tessera::preprocess
