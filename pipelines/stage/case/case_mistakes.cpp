// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/case/case_mistakes.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

namespace {

constexpr std::size_t mostListed = 20;

// Line of a sentence that begins with "case.toml:12:"; 0 without one.
std::size_t lineOf(std::string_view sentence, std::string_view file) {
  std::size_t line = 0;
  if (!sentence.starts_with(file) || sentence.size() == file.size()) return line;
  sentence.remove_prefix(file.size() + 1);
  std::from_chars(sentence.data(), sentence.data() + sentence.size(), line);
  return line;
}

}  // namespace

std::string mistakesText(std::vector<std::string> sentences, const std::string& file) {
  if (sentences.size() == 1) return sentences.front();
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](const std::string& a, const std::string& b) {
                     return lineOf(a, file) < lineOf(b, file);
                   });
  std::string text = fmt::format("{} has {} mistakes:", file, sentences.size());
  for (std::size_t k = 0; k < std::min(sentences.size(), mostListed); ++k)
    text += "\n  " + sentences[k] + (sentences[k].ends_with('.') ? "" : ".");
  if (sentences.size() > mostListed)
    text += fmt::format("\n  and {} more.", sentences.size() - mostListed);
  return text;
}

void CaseMistakes::add(const std::string& sentence) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
    sentences.push_back(sentence);
}

void CaseMistakes::reject() const {
  if (!sentences.empty()) fail(ExitCode::Usage, mistakesText(sentences, file));
}

MistakeNotes::MistakeNotes(std::shared_ptr<CaseMistakes> mistakes)
    : mistakes_(std::move(mistakes)), isOutermost_(!std::exchange(mistakes_->areNoted, true)) {}

MistakeNotes::~MistakeNotes() {
  if (!isOutermost_) return;
  mistakes_->areNoted = false;
  mistakes_->sentences.clear();
}

void MistakeNotes::reject() const {
  if (isOutermost_) mistakes_->reject();
}

}  // namespace tessera::stage
