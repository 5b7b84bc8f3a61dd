// SPDX-License-Identifier: GPL-3.0-or-later
// Times of stages that are run several times: medians of the wall clock and of the processor time
// of all threads, which other programs on the machine disturb less.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace tessera {

class Medians {
 public:
  // Result of work(); its times are kept under the stage's name.
  template <class Work>
  auto timed(const std::string& stage, const Work& work) {
    const double processor = processorSeconds();
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    Stage& at = stageOf(stage);
    at.wall.push_back(spent.count());
    at.processor.push_back(processorSeconds() - processor);
    return result;
  }
  // The stages in the order of their first run, those before `first` left out.
  void print(std::size_t first = 0) {
    for (std::size_t k = first; k < stages_.size(); ++k)
      std::printf("%-34s %8.1f ms   %8.1f ms of processors\n", stages_[k].name.c_str(),
                  1e3 * median(stages_[k].wall), 1e3 * median(stages_[k].processor));
    std::fflush(stdout);
  }
  [[nodiscard]] std::size_t stages() const { return stages_.size(); }

 private:
  struct Stage {
    std::string name;
    std::vector<double> wall, processor;
  };
  static double processorSeconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  Stage& stageOf(const std::string& name) {
    const auto found = std::find_if(stages_.begin(), stages_.end(),
                                    [&](const Stage& stage) { return stage.name == name; });
    if (found != stages_.end()) return *found;
    stages_.push_back({name, {}, {}});
    return stages_.back();
  }
  std::vector<Stage> stages_;
};

}  // namespace tessera
