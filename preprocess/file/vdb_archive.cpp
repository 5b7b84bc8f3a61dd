// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/vdb_archive.hpp"

#include <dlfcn.h>

#include <fstream>
#include <future>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::file {

namespace {

// The header holds a random UUID of 36 characters after magic, versions and a flag.
constexpr std::size_t uuidOffset = 21;
constexpr std::size_t uuidLength = 36;

void checkHeader(const std::string& bytes) {
  if (bytes.size() < uuidOffset + uuidLength || bytes[uuidOffset + 8] != '-' ||
      bytes[uuidOffset + 23] != '-')
    throw std::logic_error("OpenVDB's header is not laid out as in format 224");
}

std::string uuidFrom(std::string hash) {
  for (const std::size_t at : {8U, 13U, 18U, 23U}) hash.insert(at, "-");
  return hash;
}

// OpenVDB's logging library starts as many threads when it is loaded, and ends the program without
// them.
void requireThreads() try {
  constexpr std::size_t started = 5;
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < started; ++k) threads.emplace_back([] {});
} catch (const std::system_error&) {
  stage::fail(
      stage::ExitCode::NoResource,
      "No thread can be started, which OpenVDB needs to write .vdb files; raise the limit of "
      "processes (ulimit -u).");
}

WriteVdbGrids* loadModule() {
  requireThreads();
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (program.parent_path() / "libtessera_openvdb.so").string();
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = module == nullptr ? nullptr : ::dlsym(module, TESSERA_WRITE_VDB_GRIDS_NAME);
  if (function == nullptr) {
    const char* reason = ::dlerror();
    stage::fail(
        stage::ExitCode::NoResource,
        fmt::format("OpenVDB, which writes .vdb files, cannot be loaded ({}); install it and "
                    "put libtessera_openvdb.so next to the program.",
                    reason != nullptr ? reason : "no reason was given"));
  }
  return reinterpret_cast<WriteVdbGrids*>(function);
}

// The module, loaded once: by a thread that began earlier, or when it is needed.
class Module {
 public:
  std::thread loadAhead() {
    try {
      std::thread thread = stage::threadWithoutSignals([this] { task_(); });
      isStarted_ = true;
      return thread;
    } catch (const std::system_error&) {  // no more threads: loaded when it is needed
      return {};
    }
  }
  WriteVdbGrids* write() {
    if (!std::exchange(isStarted_, true)) task_();
    return result_.get();
  }

 private:
  std::packaged_task<WriteVdbGrids*()> task_{loadModule};
  std::shared_future<WriteVdbGrids*> result_ = task_.get_future().share();
  bool isStarted_ = false;
};

Module& module() {
  static Module one;
  return one;
}

}  // namespace

VdbModuleAhead::VdbModuleAhead() : thread_(module().loadAhead()) {}

VdbModuleAhead::~VdbModuleAhead() {
  if (thread_.joinable()) thread_.join();
}

void setWorld(VdbGrid& grid, const geometry::Frame& frame) {
  const char* const unit = frame.spacing > 2e-5    ? "metres"
                           : frame.spacing > 2e-11 ? "micrometres"
                                                   : "picometres";
  const double perMetre = frame.spacing > 2e-5 ? 1.0 : frame.spacing > 2e-11 ? 1e6 : 1e12;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t component = 0; component < 3; ++component) {
      grid.transform[axis][component] = perMetre * frame.spacing * frame.axis[axis][component];
      grid.transform[3][component] = perMetre * frame.origin[component];
    }
  grid.transform[3][3] = 1.0;
  grid.metadata.emplace_back("units", unit);
}

void writeVdbGrids(std::ostream& stream, std::span<const VdbGrid> grids) {
  static WriteVdbGrids* const write = module().write();
  write(stream, grids);
}

void setContentUuid(std::string& bytes) {
  checkHeader(bytes);
  bytes.replace(uuidOffset, uuidLength, uuidLength, '0');
  bytes.replace(uuidOffset, uuidLength, uuidFrom(stage::hashBytes(bytes.data(), bytes.size())));
}

void setContentUuid(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  std::string header(uuidOffset + uuidLength, '\0');
  stream.read(header.data(), static_cast<std::streamsize>(header.size()));
  checkHeader(header);
  const auto put = [&](const std::string& text) {
    stream.seekp(static_cast<std::streamoff>(uuidOffset));
    stream << text << std::flush;
  };
  put(std::string(uuidLength, '0'));
  put(uuidFrom(stage::toHex(stage::hashFileRange(file, 0, std::filesystem::file_size(file)))));
  if (!stream) throw std::runtime_error(file.string() + " cannot be written again for its UUID");
}

}  // namespace tessera::preprocess::file
