// SPDX-License-Identifier: GPL-3.0-or-later
// Mistakes of a case file, noted while it is read, so that one run reports all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tessera::stage {

struct CaseMistakes {
  std::string file;
  std::vector<std::string> sentences;  // each begins with the file and its line, "case.toml:12: "
  bool areNoted = false;               // otherwise they are thrown, all but missing keys

  void add(const std::string& sentence);  // once
  // Throws StageError(Usage) with all of them; nothing without any.
  void reject() const;
};

// One sentence, or a list by lines with a sentence on each, of which the first 20 are given.
std::string mistakesText(std::vector<std::string> sentences, const std::string& file);

// While one lives, the tables of a file note mistakes in place of throwing, and a value that is one
// counts as absent.
class MistakeNotes {
 public:
  explicit MistakeNotes(std::shared_ptr<CaseMistakes> mistakes);
  MistakeNotes(const MistakeNotes&) = delete;
  MistakeNotes& operator=(const MistakeNotes&) = delete;
  ~MistakeNotes();
  // Throws as CaseMistakes::reject(); within the life of another one of the file, that one does.
  void reject() const;

 private:
  std::shared_ptr<CaseMistakes> mistakes_;
  bool isOutermost_;
};

}  // namespace tessera::stage
