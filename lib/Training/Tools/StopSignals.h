//===- StopSignals.h - Signals that end a training ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_STOPSIGNALS_H
#define WEIR_LIB_TRAINING_TOOLS_STOPSIGNALS_H

#include "weir/Training/Trainer.h"

#include <array>
#include <csignal>

namespace weir {

/// While an object of this class exists, SIGINT, SIGTERM and SIGHUP stop
/// `trainer` after its current step. Signals that are ignored, as SIGHUP is
/// under nohup, stay ignored. A second SIGINT ends the process. The other
/// signals may come twice: a terminal that is closed sends SIGHUP, and so does
/// its shell. After the first signal, the process goes on even if the reader of
/// its reports is gone. So the exit code is that of the training.
class StopSignals {
public:
  explicit StopSignals(Trainer &trainer);
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The signal that came first; 0: none.
  static int received();

private:
  static constexpr std::array<int, 3> stopping = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, stopping.size()> before = {};
};

/// "SIGTERM".
const char *signalName(int signal);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_STOPSIGNALS_H
