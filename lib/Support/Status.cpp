//===- Status.cpp - Errors as values, for both halves -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Status.h"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace weir;

std::string_view weir::toString(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::NotFound:
    return "not found";
  case StatusCode::DataLoss:
    return "damaged data";
  case StatusCode::Unimplemented:
    return "not supported";
  case StatusCode::ResourceExhausted:
    return "out of resources";
  case StatusCode::Unavailable:
    return "not available";
  case StatusCode::Cancelled:
    return "cancelled";
  case StatusCode::Internal:
    return "internal error";
  }
  return "unknown";
}

/// The error of every status that could not allocate an error of its own. The
/// text is so short that the string needs no allocation.
Status::Error Status::exhausted = {StatusCode::ResourceExhausted,
                                   "out of memory", /*isShared=*/true};

Status::Error *Status::make(StatusCode code, std::string message) noexcept {
  auto *error = new (std::nothrow) Error{code, std::move(message)};
  return error ? error : &exhausted;
}

Status::Status(StatusCode code, std::string message) noexcept
    : error(make(code, std::move(message))) {
  assert(code != StatusCode::Ok && "an error needs an error code");
}

Status::Status(const Status &other) noexcept {
  if (other.error)
    try {
      error.reset(make(other.error->code, other.error->message));
    } catch (const std::bad_alloc &) {
      *this = outOfMemory();
    }
}

Status Status::outOfMemory() noexcept {
  Status status;
  status.error.reset(&exhausted);
  return status;
}

Status Status::withContext(std::string_view context) && {
  if (error && !error->isShared)
    try {
      error->message.insert(0, std::string(context) + ": ");
    } catch (const std::bad_alloc &) {
      // Without memory for the context, the error stays as it is, because it is
      // more important than its context.
    }
  return std::move(*this);
}

void weir::endWithoutValue(const Status &failure) noexcept {
  const std::string_view code = toString(failure.code());
  const std::string_view message = failure.message();
  std::fprintf(stderr,
               "weir: the value of a StatusOr was taken, which has none (%.*s: "
               "%.*s); look at isOk() first\n",
               static_cast<int>(code.size()), code.data(),
               static_cast<int>(message.size()), message.data());
  std::abort();
}

Status weir::invalidArgument(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}
Status weir::notFound(std::string message) {
  return {StatusCode::NotFound, std::move(message)};
}
Status weir::dataLoss(std::string message) {
  return {StatusCode::DataLoss, std::move(message)};
}
Status weir::unimplemented(std::string message) {
  return {StatusCode::Unimplemented, std::move(message)};
}
Status weir::resourceExhausted(std::string message) {
  return {StatusCode::ResourceExhausted, std::move(message)};
}
Status weir::unavailable(std::string message) {
  return {StatusCode::Unavailable, std::move(message)};
}
Status weir::internalError(std::string message) {
  return {StatusCode::Internal, std::move(message)};
}
