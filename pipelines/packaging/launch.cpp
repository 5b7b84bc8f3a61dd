// SPDX-License-Identifier: GPL-3.0-or-later
// Launcher in the relocatable archive: bin/NAME runs lib/tessera/programs/NAME by the loader and
// with the libraries of lib/tessera, wherever the archive was unpacked. Statically linked and for
// any x86-64, so that an old processor gets a message. Programs look for modules in the folder of
// the loader (/proc/self/exe), and find the launchers of the programs that read formats there too.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

constexpr int noResource = 5;  // ExitCode::NoResource

int refuse(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
  return noResource;
}

}  // namespace

int main(int argc, char** argv) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string name = self.filename().string();
  if (error) return refuse("tessera", "/proc/self/exe cannot be read; mount /proc.");
  __builtin_cpu_init();
  if (!__builtin_cpu_supports(TESSERA_ISA))
    return refuse(
        name, "this processor lacks instructions of " TESSERA_ISA
              ", for which the program was built; use a newer processor, or build the source with "
              "-DTESSERA_ISA=x86-64.");
  const fs::path beside = self.parent_path();
  const fs::path libraries = fs::exists(beside / TESSERA_LOADER, error)
                                 ? beside
                                 : beside.parent_path() / "lib" / "tessera";
  const std::string loader = libraries / TESSERA_LOADER;
  const std::string program = libraries / "programs" / name;
  std::string path = libraries;
  if (const char* given = std::getenv("LD_LIBRARY_PATH")) path.append(":").append(given);  // MPI
  if (std::getenv("TESSERA_FONTS") == nullptr) {
    std::string fonts = libraries / "fonts";
    fonts += ":/usr/share/fonts:/usr/local/share/fonts";
    if (const char* home = std::getenv("HOME"))
      fonts.append(":").append(home).append("/.local/share/fonts");
    ::setenv("TESSERA_FONTS", fonts.c_str(), 1);
  }
  std::vector<char*> words;
  std::string begin[] = {loader,           "--argv0", argc > 0 ? argv[0] : name,
                         "--library-path", path,      program};
  for (std::string& word : begin) words.push_back(word.data());
  for (int k = 1; k < argc; ++k) words.push_back(argv[k]);
  words.push_back(nullptr);
  ::execv(loader.c_str(), words.data());
  return refuse(name, loader + " cannot be run; unpack the archive again, whole.");
}
