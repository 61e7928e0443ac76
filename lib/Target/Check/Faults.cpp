//===- Faults.cpp - Signals of code that is checked -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <span>
#include <unistd.h>

using namespace weir;
using namespace weir::kernelcheck;

static constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// The call of `findFault` on this thread.
struct Call {
  sigjmp_buf begin;
  Fault fault;
};
static thread_local Call *current = nullptr;
/// The argument `lastWords` of the current call. Other threads need it, too.
static llvm::StringRef lastWordsOfCall;
/// The actions that these signals have outside of a call.
static struct sigaction before[std::size(caught)];

static void onSignal(int signal, siginfo_t *info, void *) {
  if (current) {
    current->fault = {signal, info->si_addr};
    siglongjmp(current->begin, 1);
  }
  if (!lastWordsOfCall.empty()) {
    (void)!write(STDERR_FILENO, lastWordsOfCall.data(), lastWordsOfCall.size());
    _exit(1);
  }
  // After the handler, the instruction runs again. Its signal then has the
  // earlier action.
  for (size_t i = 0; i < std::size(caught); ++i)
    if (caught[i] == signal)
      sigaction(signal, &before[i], nullptr);
}

namespace {
/// Gives the signal handler of this thread a stack of its own, because the
/// stack of the thread may have overflowed.
class SignalStack {
public:
  explicit SignalStack(std::span<std::byte> memory) {
    const stack_t stack = {
        .ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
    sigaltstack(&stack, &replaced);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack() { sigaltstack(&replaced, nullptr); }

private:
  stack_t replaced = {};
};

/// Lets `onSignal` handle the signals of `caught` as long as this object
/// exists.
class SignalHandlers {
public:
  SignalHandlers() {
    struct sigaction action = {};
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < std::size(caught); ++i)
      sigaction(caught[i], &action, &before[i]);
  }
  SignalHandlers(const SignalHandlers &) = delete;
  SignalHandlers &operator=(const SignalHandlers &) = delete;
  ~SignalHandlers() {
    for (size_t i = 0; i < std::size(caught); ++i)
      sigaction(caught[i], &before[i], nullptr);
  }
};
} // namespace

std::optional<Fault> kernelcheck::findFault(llvm::function_ref<void()> run,
                                            llvm::StringRef lastWords) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  // The stack must hold the saved registers. On a CPU with wide registers,
  // these take some KiB.
  static std::array<std::byte, size_t{64} << 10> memory;
  lastWordsOfCall = lastWords;
  const SignalStack stack(memory);
  const SignalHandlers handlers;
  Call call;
  volatile bool isFault = false;
  current = &call;
  if (sigsetjmp(call.begin, /*savemask=*/1) == 0)
    run();
  else
    isFault = true;
  current = nullptr;
  lastWordsOfCall = {};
  return isFault ? std::optional(call.fault) : std::nullopt;
}
