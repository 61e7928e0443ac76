//===- Faults.h - Signals of code that is checked ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_FAULTS_H
#define WEIR_LIB_TARGET_CHECK_FAULTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace weir::kernelcheck {

/// A signal that ended a call before it returned.
struct Fault {
  int signal;
  /// The address that the code tried to access, or the address of the
  /// instruction.
  const void *address;
};

/// Calls `run`. If the code accesses forbidden memory, overflows its stack or
/// is not valid, a signal ends the call. Memory that the frames of the call own
/// is then lost. Only one thread at a time can be in this function, and others
/// wait.
///
/// `run` may use a team of threads. If another thread gets such a signal, it
/// writes `lastWords` to standard error, and ends the process with exit code 1.
/// The signal has its usual effect if `lastWords` is empty, or if the stack of
/// that thread has overflowed.
std::optional<Fault> findFault(llvm::function_ref<void()> run,
                               llvm::StringRef lastWords = {});

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_FAULTS_H
