//===- Guarded.h - Converts exceptions to errors ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The runtime itself throws nothing, but code that it calls may throw: the
// allocator, the vendor's library, and kernels and observers of users. An
// exception that leaves a queue's thread would end the process. An exception
// that leaves a run would leave the session waiting for ever.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_GUARDED_H
#define WEIR_RUNTIME_GUARDED_H

#include "weir/Support/Status.h"

#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace weir {

/// The exception that is being handled, as an error. Throws if there is no
/// memory for its message.
inline Status describeException(std::string_view where) {
  const std::string place(where);
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return resourceExhausted("out of memory in " + place);
  } catch (const std::exception &error) {
    return internalError("an exception in " + place + ": " + error.what());
  } catch (...) {
    return internalError("an unknown exception in " + place);
  }
}

/// The result of `function`, a Status or a StatusOr. An exception becomes an
/// error, which says that it was thrown in `where` if there is memory for that.
template <typename Function>
auto guarded(std::string_view where, Function &&function) noexcept
    -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    try {
      return describeException(where);
    } catch (...) {
      return Status::outOfMemory();
    }
  }
}

} // namespace weir

#endif // WEIR_RUNTIME_GUARDED_H
