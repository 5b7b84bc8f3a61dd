// SPDX-License-Identifier: GPL-3.0-or-later
// The validation report: a table for people, validation.csv and a self-contained report.html.
#pragma once

#include <string>
#include <vector>

#include "tests/validation/cases.hpp"

namespace tessera::validation {

struct CaseResult {
  const Case* of = nullptr;
  Findings findings;
};

// Markdown tables, aligned so that they read as text too: of all entries, and of the cases with the
// entry of each that uses most of its tolerance.
std::string entryTable(const std::vector<CaseResult>& results);
std::string summaryTable(const std::vector<CaseResult>& results);
// case, quantity, reference, low, high, tolerance, value, passed, source; RFC 4180.
std::string csvTable(const std::vector<CaseResult>& results);
// about: program, version, machine, in a sentence.
std::string reportHtml(const std::vector<CaseResult>& results, const std::string& about);

}  // namespace tessera::validation
