// SPDX-License-Identifier: GPL-3.0-or-later
// Time of work on a device, measured by events in the default stream.
#pragma once

#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

class DeviceTimer {
 public:
  // Seconds from the start to the end of the work that launch() gives to the default stream.
  template <class Function>
  [[nodiscard]] double seconds(const Function& launch) const {
    start_.record(defaultStream);
    launch();
    end_.record(defaultStream);
    end_.wait("event");
    return end_.secondsSince(start_);
  }

 private:
  DeviceEvent start_{EventTiming::On};
  DeviceEvent end_{EventTiming::On};
};

}  // namespace tessera::solver::backend
