//===- StopSignals.cpp - Signals that end a training ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StopSignals.h"

#include <atomic>

using namespace weir;

namespace {
/// The training that a signal stops; null: there is none.
std::atomic<Trainer *> stoppable = nullptr;
std::atomic<int> firstSignal = 0;
static_assert(std::atomic<Trainer *>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

void stop(int signal) {
  int none = 0;
  firstSignal.compare_exchange_strong(none, signal);
  if (Trainer *trainer = stoppable)
    trainer->stop();
}
} // namespace

StopSignals::StopSignals(Trainer &trainer) {
  stoppable = &trainer;
  for (size_t i = 0; i < stopping.size(); ++i) {
    sigaction(stopping[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN)
      continue;
    struct sigaction action = {};
    action.sa_handler = stop;
    action.sa_flags =
        SA_RESTART |
        (stopping[i] == SIGINT ? static_cast<int>(SA_RESETHAND) : 0);
    sigaction(stopping[i], &action, nullptr);
  }
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < stopping.size(); ++i)
    sigaction(stopping[i], &before[i], nullptr);
  stoppable = nullptr;
}

int StopSignals::received() { return firstSignal; }

const char *weir::signalName(int signal) {
  switch (signal) {
  case SIGINT:
    return "SIGINT";
  case SIGTERM:
    return "SIGTERM";
  case SIGHUP:
    return "SIGHUP";
  default:
    return "a signal";
  }
}
