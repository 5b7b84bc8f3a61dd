// SPDX-License-Identifier: GPL-3.0-or-later
// Case file (TOML): one file for the chain, of which each stage reads its own tables. Every mistake
// is reported with file, line and expectation (exit code 2).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/case/case_mistakes.hpp"
#include "pipelines/stage/case/quantity.hpp"

namespace tessera::stage {

// One table. Records the keys that were asked for, so that rejectUnknown() can name the others. An
// absent table returns nullopt for everything.
class CaseTable {
 public:
  struct Impl;
  explicit CaseTable(std::shared_ptr<Impl> impl);

  [[nodiscard]] bool present() const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool isText(std::string_view key) const;
  // A quantity without a unit, as a number or as a text.
  [[nodiscard]] bool isBare(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  // A file that the table names, relative to the folder of the case. key: one of those that
  // CaseFile::namedFiles() knows.
  std::optional<std::filesystem::path> file(std::string_view key);
  // A text or a list of texts; empty if the key is absent.
  std::vector<std::string> texts(std::string_view key);
  // The same, and whole numbers as their digits.
  std::vector<std::string> textsOrNumbers(std::string_view key);
  // One of the allowed words; the error lists them.
  std::optional<std::string> word(std::string_view key, const std::vector<std::string>& allowed);
  // A string with a unit or a bare SI number; within [lowest, highest].
  std::optional<double> quantity(std::string_view key, Dimension dimension, double lowest = -1e300,
                                 double highest = 1e300);
  std::optional<std::array<double, 3>> vector(std::string_view key, Dimension dimension);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t lowest,
                                      std::int64_t highest);
  std::optional<bool> flag(std::string_view key);
  // Notes that keys are missing, at where(), for CaseMistakes::reject().
  void noteMissing(const std::string& sentence) const;
  // Throws StageError(Usage) naming file, line, key and the nearest known one of each unknown key,
  // or notes them.
  void rejectUnknown() const;
  // Throws a StageError(Usage) about the value of a key, or notes it.
  void refuse(std::string_view key, const std::string& sentence) const;
  // Whether the value of a key was noted as a mistake, so that it seemed to be absent.
  [[nodiscard]] bool refused(std::string_view key) const;
  [[nodiscard]] std::shared_ptr<CaseMistakes> mistakes() const;  // of the file
  // "case.toml:12" : the key's line, or the table's if the key is absent.
  [[nodiscard]] std::string where(std::string_view key = {}) const;

 private:
  std::shared_ptr<Impl> impl_;
};

class CaseFile {
 public:
  // Throws StageError(BadInput) for an unreadable file or one of more than 4 MiB, (Usage) for
  // invalid TOML or unknown tables.
  static CaseFile load(const std::filesystem::path& path);
  static CaseFile parse(std::string_view text, std::string name);
  static CaseFile empty();

  [[nodiscard]] CaseTable table(std::string_view name) const;
  [[nodiscard]] std::vector<CaseTable> tables(std::string_view name) const;  // [[name]] in order
  // Files that the case names in any table (waveforms, tables of velocities), in order, existing or
  // not.
  [[nodiscard]] std::vector<std::filesystem::path> namedFiles() const;
  [[nodiscard]] bool hasMistakes() const;
  [[nodiscard]] std::shared_ptr<CaseMistakes> mistakes() const;
  void noteMissing(const std::string& sentence) const;
  // Runs read(), of a table that others do not depend on. While mistakes are noted, what it throws
  // is one of them, unless it noted another: it may be the consequence of that.
  void part(const std::function<void()>& read) const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& content() const;  // the text as read, for the provenance

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::stage
