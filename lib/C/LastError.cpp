//===- LastError.cpp - How errors leave the C API ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LastError.h"

#include "weir/Support/PerThread.h"

#include <fmt/format.h>

using namespace weir;

static_assert(static_cast<int>(StatusCode::Ok) == WEIR_OK);
static_assert(static_cast<int>(StatusCode::InvalidArgument) ==
              WEIR_INVALID_ARGUMENT);
static_assert(static_cast<int>(StatusCode::NotFound) == WEIR_NOT_FOUND);
static_assert(static_cast<int>(StatusCode::DataLoss) == WEIR_DATA_LOSS);
static_assert(static_cast<int>(StatusCode::Unimplemented) ==
              WEIR_UNIMPLEMENTED);
static_assert(static_cast<int>(StatusCode::ResourceExhausted) ==
              WEIR_RESOURCE_EXHAUSTED);
static_assert(static_cast<int>(StatusCode::Unavailable) == WEIR_UNAVAILABLE);
static_assert(static_cast<int>(StatusCode::Cancelled) == WEIR_CANCELLED);
static_assert(static_cast<int>(StatusCode::Internal) == WEIR_INTERNAL);

// The version in the header is written by hand, so that programs without CMake
// can use the header.
static_assert(WEIR_VERSION_MAJOR == WEIR_PROJECT_MAJOR &&
              WEIR_VERSION_MINOR == WEIR_PROJECT_MINOR &&
              WEIR_VERSION_PATCH == WEIR_PROJECT_PATCH);
#define WEIR_TEXT_OF(number) #number
#define WEIR_VERSION_OF(major, minor, patch)                                   \
  WEIR_TEXT_OF(major) "." WEIR_TEXT_OF(minor) "." WEIR_TEXT_OF(patch)

namespace {
struct LastErrorTag;
} // namespace
/// The last error of each thread. Its message is null-terminated, so the C API
/// can return a pointer to it.
using LastError = PerThread<Status, LastErrorTag>;

weir_status c::keepError(Status error) noexcept {
  const auto code = static_cast<weir_status>(error.code());
  if (Status *last = LastError::find())
    *last = std::move(error);
  return code;
}

Status c::checkNotNull(const void *pointer, const char *argument) {
  if (pointer) [[likely]]
    return Status::ok();
  return invalidArgument(fmt::format("{} is null", argument));
}

Status c::checkNumber(size_t index, size_t count, const char *what,
                      const char *owner) {
  if (index < count) [[likely]]
    return Status::ok();
  return invalidArgument(fmt::format("there is no {} {}; the {} has {}", what,
                                     index, owner, count));
}

const char *weir_version(void) {
  return WEIR_VERSION_OF(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR,
                         WEIR_VERSION_PATCH);
}

const char *weir_status_name(weir_status status) {
  if (status < WEIR_OK || status > WEIR_INTERNAL)
    return "unknown status";
  return toString(static_cast<StatusCode>(status)).data();
}

const char *weir_last_error(void) {
  const Status *last = LastError::find();
  return !last || last->isOk() ? "" : last->message().data();
}
