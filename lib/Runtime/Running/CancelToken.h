//===- CancelToken.h - The requests that a token cancels --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_CANCELTOKEN_H
#define WEIR_LIB_RUNTIME_RUNNING_CANCELTOKEN_H

#include "weir/Runtime/RunOptions.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace weir {

class Admission;

/// The state that the copies of a token share.
class CancelToken::State {
public:
  /// Remembers request `id` of `admission`. Returns false if the token has been
  /// cancelled.
  bool add(const std::shared_ptr<Admission> &admission, uint64_t id);
  void remove(const Admission &admission, uint64_t id);
  void cancel();
  bool isCancelled() const;
  /// The status of runs that a token has cancelled.
  static Status reason();

private:
  using Key = std::pair<const Admission *, uint64_t>;
  mutable std::mutex mutex;
  bool cancelled = false;
  std::map<Key, std::weak_ptr<Admission>> requests;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_CANCELTOKEN_H
