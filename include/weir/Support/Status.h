//===- Status.h - Errors as values, for both halves -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Weir reports errors as values: no exception crosses the runtime's API, and
// libraries log nothing. Each layer that passes an error on adds what it knows
// (op, device, shape) with `withContext`.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_STATUS_H
#define WEIR_SUPPORT_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

enum class StatusCode {
  Ok,
  /// The caller passed something that can never work.
  InvalidArgument,
  /// A named thing (file, tensor, entry, device) does not exist.
  NotFound,
  /// The thing exists but is damaged or of another version.
  DataLoss,
  /// Valid, but not supported by this build or device.
  Unimplemented,
  /// Memory, threads, disk space or descriptors are exhausted.
  ResourceExhausted,
  /// The machine lacks what the work needs (device, CPU feature).
  Unavailable,
  /// Cancelled because something else failed first or the caller asked for it.
  Cancelled,
  /// A failure of a vendor library, or of Weir itself.
  Internal,
};

/// The spelling of `code` in messages, for instance "not found".
std::string_view toString(StatusCode code);

/// Success, or an error code with a message for people. Messages are in lower
/// case without a full stop, and say what to do. Cheap to move; a successful
/// status allocates nothing. No member throws: if there is no memory for an
/// error's message, the status is `outOfMemory()`.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) noexcept;
  Status(const Status &other) noexcept;
  Status &operator=(const Status &other) noexcept {
    return *this = Status(other);
  }
  Status(Status &&) = default;
  Status &operator=(Status &&) = default;

  static Status ok() { return {}; }
  /// An error with the code ResourceExhausted that allocates nothing.
  static Status outOfMemory() noexcept;

  bool isOk() const { return !error; }
  StatusCode code() const { return error ? error->code : StatusCode::Ok; }
  /// The message; empty on success.
  std::string_view message() const {
    return error ? std::string_view(error->message) : std::string_view();
  }

  /// This error with "`context`: " before its message. Success stays success.
  /// If there is no memory for the new message, the message does not change.
  Status withContext(std::string_view context) &&;

private:
  struct Error {
    StatusCode code;
    std::string message;
    /// Whether this is the shared error of all statuses for whose own error
    /// there was no memory.
    bool isShared = false;
  };
  struct Discard {
    void operator()(Error *error) const noexcept {
      if (!error->isShared)
        delete error;
    }
  };
  static Error exhausted;
  static Error *make(StatusCode code, std::string message) noexcept;

  std::unique_ptr<Error, Discard> error;
};

/// Ends the program because the value of a StatusOr without a value was taken.
/// Writes its status, `failure`, to standard error.
[[noreturn]] void endWithoutValue(const Status &failure) noexcept;

/// A value, or the error that prevented it. Check `isOk` before taking the
/// value. Taking the value of an error is a bug. In every build, it ends the
/// program (`std::abort`), with the error's message on standard error.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(Status status) : failure(std::move(status)) {
    assert(!failure.isOk() && "an ok StatusOr needs a value");
  }
  template <typename U = T, typename = std::enable_if_t<
                                std::is_convertible_v<U &&, T> &&
                                !std::is_same_v<std::decay_t<U>, Status> &&
                                !std::is_same_v<std::decay_t<U>, StatusOr<T>>>>
  StatusOr(U &&value) : held(std::forward<U>(value)) {}

  bool isOk() const { return held.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const & { return failure; }
  Status status() && { return std::move(failure); }

  T &operator*() & {
    checkHeld();
    return *held;
  }
  const T &operator*() const & {
    checkHeld();
    return *held;
  }
  T &&operator*() && {
    checkHeld();
    return std::move(*held);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  /// Compilers remove this check after a check of `isOk`.
  void checkHeld() const {
    if (!held) [[unlikely]]
      endWithoutValue(failure);
  }

  Status failure;
  std::optional<T> held;
};

/// Shorthands for common errors.
Status invalidArgument(std::string message);
Status notFound(std::string message);
Status dataLoss(std::string message);
Status unimplemented(std::string message);
Status resourceExhausted(std::string message);
Status unavailable(std::string message);
Status internalError(std::string message);

} // namespace weir

#define WEIR_CONCAT_INNER(a, b) a##b
#define WEIR_CONCAT(a, b) WEIR_CONCAT_INNER(a, b)

/// Returns from the enclosing function if `expr` is an error.
#define WEIR_RETURN_IF_ERROR(expr)                                             \
  do {                                                                         \
    if (::weir::Status weirStatus = (expr); !weirStatus.isOk())                \
      return weirStatus;                                                       \
  } while (false)

/// Declares `decl` with the value of the StatusOr `expr`, or returns its error
/// from the enclosing function.
#define WEIR_ASSIGN_OR_RETURN(decl, expr)                                      \
  WEIR_ASSIGN_OR_RETURN_INNER(WEIR_CONCAT(weirStatusOr, __LINE__), decl, expr)
#define WEIR_ASSIGN_OR_RETURN_INNER(tmp, decl, expr)                           \
  auto tmp = (expr);                                                           \
  if (!tmp.isOk())                                                             \
    return std::move(tmp).status();                                            \
  decl = *std::move(tmp)

#endif // WEIR_SUPPORT_STATUS_H
