// SPDX-License-Identifier: GPL-3.0-or-later
// Text of messages and reports: libfmt, and the few forms that they share.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera::stage {

// A value with so many significant digits, without trailing zeros (printf's %g): "0.0125", "1e-07".
std::string number(double value, int digits = 6);

// A part of a whole in percent, likewise: 0.125 is "12.5 %".
std::string percent(double part, int digits = 3);

// Words with a separator between each two.
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

// An enumeration: "a", "a and b", "a, b and c"; "none" without words. last: before the last word.
std::string enumeration(std::span<const std::string> words, std::string_view last = " and ");

// The first words of many: "a, b and 3 more".
std::string firstOf(std::span<const std::string> words, std::size_t most = 8);

// A count with its noun: "1 node", "2 nodes". many: where the plural is not the noun with an s.
std::string plural(std::uint64_t count, std::string_view one, std::string_view many = {});

// Bytes for people, in powers of ten: "812 bytes", "1.50 MB", "2.25 GB".
std::string bytesText(std::uint64_t bytes);

}  // namespace tessera::stage
