//===- LastError.h - How errors leave the C API -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_C_LASTERROR_H
#define WEIR_LIB_C_LASTERROR_H

#include "weir/C/weir.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <utility>

namespace weir::c {

/// Keeps an error for `weir_last_error` and returns its code.
weir_status keepError(Status error) noexcept;

/// Returns the error "ARGUMENT is null" if `pointer` is null.
Status checkNotNull(const void *pointer, const char *argument);

/// Returns the error "there is no WHAT INDEX" if `index` is not below `count`.
/// `owner` is the object that should have the thing.
Status checkNumber(size_t index, size_t count, const char *what,
                   const char *owner);

/// Calls `body` for the function `function` of the API. `body` returns a Status
/// and may throw.
template <typename Body>
weir_status runCall(const char *function, Body &&body) noexcept {
  Status status = guarded("the call", std::forward<Body>(body));
  if (status.isOk()) [[likely]]
    return WEIR_OK;
  return keepError(std::move(status).withContext(function));
}

} // namespace weir::c

#endif // WEIR_LIB_C_LASTERROR_H
