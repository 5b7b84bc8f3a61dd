// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence of the StageError that an action throws; the test fails when it throws none or
// another exit code.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "pipelines/stage/error.hpp"

namespace tessera {

using namespace tessera::stage;

template <class Action>
std::string sentenceOfError(ExitCode code, Action action) {
  try {
    action();
  } catch (const StageError& error) {
    CHECK(static_cast<int>(error.code()) == static_cast<int>(code));
    return error.what();
  }
  FAIL("no error was thrown");
  return {};
}

}  // namespace tessera
