// SPDX-License-Identifier: GPL-3.0-or-later
// Message of a program that fault_library.cpp copies to the trials that run it; a byte is the
// answer: before a copy whether it is to be made.
#pragma once

namespace tessera::reliability {

struct ForkMessage {
  static constexpr int before = -1;
  static constexpr unsigned longest = 120;  // s, for which a copy may run

  unsigned long path;  // of calls
  int code;            // before: a copy is due; otherwise its exit code, 128 + n when killed by n
  int others;          // threads besides the one that allocates, which a copy does not have
};

}  // namespace tessera::reliability
