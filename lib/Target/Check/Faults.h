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

/// How code has ended before it returned.
struct Fault {
  int signal;
  /// What it tried to access, or where it was.
  const void *address;
};

/// Calls `run`. If it gets a signal, since it accesses memory that it must not,
/// overflows its stack or is no valid code, the call ends there. The memory of
/// its frames is then lost. Other threads wait if they call this.
///
/// Another thread that gets such a signal meanwhile, as one of a team in `run`
/// may, cannot be continued. It writes `lastWords` to standard error and ends
/// the process with exit code 1. If there are none, or if the stack of that
/// thread has overflowed, the signal takes its usual course.
std::optional<Fault> findFault(llvm::function_ref<void()> run,
                               llvm::StringRef lastWords = {});

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_FAULTS_H
