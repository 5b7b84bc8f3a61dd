// SPDX-License-Identifier: GPL-3.0-or-later
// A confined program that does what a library may do on a damaged file; its mode says what.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <vector>

#include "preprocess/read/child/confined.hpp"
#include "tests/fixtures/files/child_messages.hpp"

using namespace tessera::preprocess::read;

namespace {

void eatMemory() {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(std::size_t{1} << 20U, 'x');
}

std::uint32_t openDescriptors() {
  std::uint32_t count = 0;
  for (int descriptor = 0; descriptor < 256; ++descriptor)
    count += ::fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

// Whether a file can get bytes.
std::uint32_t writesTo(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  std::ofstream(path) << "bytes";
  std::error_code error;
  return std::filesystem::file_size(path, error) > 0 && !error ? 1 : 0;
}

void burn(double seconds) {
  while (static_cast<double>(std::clock()) < seconds * CLOCKS_PER_SEC) continue;
}

void add(ChildWriter& writer, const tessera::test::ChildStream& stream) {
  const std::string fields = stream.cut().substr(sizeof childMagic);  // the writer begins with it
  writer.bytes(fields.data(), fields.size());
}

// Slices 2 mm apart, in the order of their files; "slow" ones take 0.7 s of processor time more,
// "spin" ones do not end.
void readDicom(const ChildTask& task, ChildWriter& writer) {
  const bool isHeaders = task.mode == "headers";
  double used = 0.0;
  for (std::size_t k = isHeaders ? 0 : 1; k < task.words.size(); k += isHeaders ? 1 : 2) {
    const std::string name = std::filesystem::path(task.words[k]).filename();
    writer.flush();
    tessera::test::ChildStream stream;
    if (isHeaders && name.ends_with("spin.dcm")) burn(1e9);
    if (isHeaders && name.ends_with("slow.dcm")) burn(used += 0.7);
    if (isHeaders)
      addDicomHeader(stream, "1.2." + name, 2.0 * (name[0] - '0'));
    else
      addDicomVoxels(stream, name[0]);
    add(writer, stream);
  }
}

void misbehave(const ChildTask& task, ChildWriter& writer) {
  if (task.mode == "headers" || task.mode == "voxels") return readDicom(task, writer);
  const std::string& mode = task.mode;
  writer.begin(ChildMessage::Unit);
  writer.number(static_cast<std::uint32_t>(::getpid()));
  writer.flush();
  if (mode == "crash") std::raise(SIGSEGV);
  if (mode == "throw") throw 1;
  if (mode == "eat") eatMemory();
  if (mode == "leave") std::_Exit(0);
  if (mode == "hang") ::pause();
  if (mode == "refuse") throw std::runtime_error("no \x1b[31m\xff good");
  if (mode == "descriptors") writer.number(openDescriptors());
  if (mode == "write") writer.number(writesTo(task.words.at(0)));
  if (mode == "print" && ::write(1, "noise", 5) < 0) std::_Exit(1);
  if (mode == "long") writer.number(0xffffffffU);
  if (mode == "text") writer.text(task.words.at(0));
  for (volatile bool spins = mode == "spin"; spins;) continue;
}

}  // namespace

int main(int argc, char** argv) {
  runConfined(argc, argv, misbehave);
}
