//===- BlockedSignals.h - Threads without handlers of signals ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_BLOCKEDSIGNALS_H
#define WEIR_SUPPORT_BLOCKEDSIGNALS_H

#include <csignal>
#include <initializer_list>

namespace weir {

/// While an object exists, threads that the calling thread creates start with
/// all signals blocked, except for signals of their own faults. So the signal
/// handlers of the program, which are meant for its own threads, never
/// interrupt a kernel.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t signals;
    sigfillset(&signals);
    for (int fault :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGABRT})
      sigdelset(&signals, fault);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t before;
};

} // namespace weir

#endif // WEIR_SUPPORT_BLOCKEDSIGNALS_H
