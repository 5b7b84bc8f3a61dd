// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace tessera::fuzz {
namespace {

constexpr std::size_t headBytes = 256;
constexpr std::size_t longestGrowth = std::size_t{1} << 16;

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // In [0, count); 0 when there is nothing to choose from.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : next() % count; }
  std::size_t position(std::size_t size) {
    return below(below(2) == 0 ? std::min(size, headBytes) : size);
  }
  // Short ones as often as long ones.
  std::size_t length(std::size_t most) {
    return most == 0 ? 0 : 1 + below(std::min(most, std::size_t{1} << below(15)));
  }

 private:
  std::uint64_t state_;
};

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

void flipBits(std::string& bytes, Dice& dice) {
  for (std::size_t count = 1 + dice.below(8); count > 0 && !bytes.empty(); --count)
    bytes[dice.position(bytes.size())] ^= static_cast<char>(1U << dice.below(8));
}

void changeByte(std::string& bytes, Dice& dice) {
  constexpr char hostile[] = {'\0', '\xff', '\x7f', '\x80', '\n', ' ', '-',  '"', '<',
                              '>',  '/',    '#',    '=',    '.',  'e', '\\', '+', '%'};
  if (!bytes.empty()) bytes[dice.position(bytes.size())] = hostile[dice.below(std::size(hostile))];
}

// The first number in text at or after some position becomes another.
void changeNumber(std::string& bytes, Dice& dice) {
  constexpr const char* hostile[] = {"0",
                                     "-1",
                                     "1",
                                     "2",
                                     "65536",
                                     "2147483647",
                                     "2147483648",
                                     "4294967295",
                                     "4294967296",
                                     "1431655766",
                                     "9223372036854775807",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "99999999999999999999999999",
                                     "-9223372036854775808",
                                     "1e999",
                                     "1e-999",
                                     "1e38",
                                     "3.5e38",
                                     "1e300",
                                     "nan",
                                     "inf",
                                     "0x10",
                                     "1,5",
                                     ""};
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(dice.position(bytes.size()));
  const auto begin = std::find_if(from, bytes.end(), isDigit);
  const auto end = std::find_if_not(begin, bytes.end(), isDigit);
  bytes.replace(begin, end, hostile[dice.below(std::size(hostile))]);
}

// A word of 2, 4 or 8 bytes becomes a hostile count, in either byte order.
void changeWord(std::string& bytes, Dice& dice) {
  const std::size_t width = std::size_t{2} << dice.below(3);
  if (bytes.size() < width) return;
  const std::uint64_t size = bytes.size();
  const std::uint64_t hostile[] = {0,
                                   1,
                                   0xff,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   0x55555556,
                                   0x7fffffffffffffff,
                                   ~std::uint64_t{0},
                                   size,
                                   size + 1,
                                   size / 2,
                                   dice.next()};
  const std::uint64_t word = hostile[dice.below(std::size(hostile))];
  char stored[8];
  std::memcpy(stored, &word, sizeof stored);
  if (dice.below(2) == 0) std::reverse(stored, stored + width);
  std::size_t at = std::min(dice.position(size), bytes.size() - width);
  if (dice.below(2) == 0) at -= at % width;
  std::memcpy(bytes.data() + at, stored, width);
}

void cutShort(std::string& bytes, Dice& dice) {
  bytes.resize(dice.position(bytes.size()));
}

void deletePart(std::string& bytes, Dice& dice) {
  const std::size_t at = dice.position(bytes.size());
  bytes.erase(at, dice.length(bytes.size() - at));
}

void copyPart(std::string& bytes, const std::string& from, Dice& dice) {
  const std::size_t begin = dice.position(from.size());
  const std::string part = from.substr(begin, dice.length(from.size() - begin));
  const std::size_t at = dice.position(bytes.size());
  if (dice.below(2) == 0)
    bytes.insert(at, part);
  else
    bytes.replace(at, part.size(), part);
}

// The same few bytes many times: deep nesting, long lines, long names.
void repeatPart(std::string& bytes, Dice& dice) {
  const std::size_t at = dice.position(bytes.size());
  const std::string part = bytes.substr(at, 1 + dice.below(32));
  const std::size_t times = part.empty() ? 0 : dice.below(longestGrowth / 4 / part.size());
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += part;
  bytes.insert(at, repeated);
}

void damage(std::string& bytes, const std::vector<std::string>& seeds, Dice& dice) {
  switch (dice.below(10)) {
    case 0:
      return flipBits(bytes, dice);
    case 1:
      return changeByte(bytes, dice);
    case 2:
    case 3:
      return changeNumber(bytes, dice);
    case 4:
    case 5:
      return changeWord(bytes, dice);
    case 6:
      return cutShort(bytes, dice);
    case 7:
      return deletePart(bytes, dice);
    case 8:
      return copyPart(bytes, dice.below(2) == 0 ? bytes : seeds[dice.below(seeds.size())], dice);
    default:
      return repeatPart(bytes, dice);
  }
}

}  // namespace

Inside insideOf(const std::string& file, const std::string& from, const std::string& to) {
  const std::size_t found = file.find(from);
  const std::size_t begin = found == file.npos ? file.npos : found + from.size();
  const std::size_t end = to.empty() ? file.size() : file.find(to, std::min(begin, file.size()));
  if (begin == file.npos || end == file.npos) {
    std::fprintf(stderr, "a seed has no \"%s\" before \"%s\"\n", from.c_str(), to.c_str());
    std::abort();
  }
  return {file.substr(begin, end - begin),
          [before = file.substr(0, begin), after = file.substr(end)](const std::string& bytes) {
            return before + bytes + after;
          }};
}

std::string mutated(const std::vector<std::string>& seeds, const std::vector<Inside>& insides,
                    std::uint64_t number) {
  Dice dice(number);
  const Inside* inside =
      dice.below(2) == 0 || insides.empty() ? nullptr : &insides[dice.below(insides.size())];
  std::string bytes = inside != nullptr ? inside->bytes : seeds[dice.below(seeds.size())];
  for (std::size_t damages = 1 + dice.below(4); damages > 0; --damages) damage(bytes, seeds, dice);
  return inside != nullptr ? inside->wrap(bytes) : bytes;
}

}  // namespace tessera::fuzz
