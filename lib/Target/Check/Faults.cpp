//===- Faults.cpp - Signals of code that is checked -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include <csetjmp>
#include <csignal>
#include <iterator>
#include <mutex>

using namespace weir;
using namespace weir::kernelcheck;

static constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// The call of `findFault` that this thread is in.
struct Call {
  sigjmp_buf begin;
  Fault fault;
};
static thread_local Call *current = nullptr;
/// What other threads do with these signals.
static struct sigaction before[std::size(caught)];

static void onSignal(int signal, siginfo_t *info, void *) {
  if (current) {
    current->fault = {signal, info->si_addr};
    siglongjmp(current->begin, 1);
  }
  // The instruction is repeated, and the signal is handled as before.
  for (size_t i = 0; i < std::size(caught); ++i)
    if (caught[i] == signal)
      sigaction(signal, &before[i], nullptr);
}

std::optional<Fault> kernelcheck::findFault(llvm::function_ref<void()> run) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(caught); ++i)
    sigaction(caught[i], &action, &before[i]);
  Call call;
  current = &call;
  const bool isFault = sigsetjmp(call.begin, /*savemask=*/1) != 0;
  if (!isFault)
    run();
  current = nullptr;
  for (size_t i = 0; i < std::size(caught); ++i)
    sigaction(caught[i], &before[i], nullptr);
  return isFault ? std::optional(call.fault) : std::nullopt;
}
