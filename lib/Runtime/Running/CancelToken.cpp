//===- CancelToken.cpp - The requests that a token cancels -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CancelToken.h"

#include "Admission.h"
#include "weir/Runtime/Guarded.h"

using namespace weir;

CancelToken::CancelToken() : state(std::make_shared<State>()) {}

void CancelToken::cancel() { state->cancel(); }

bool CancelToken::isCancelled() const { return state->isCancelled(); }

bool CancelToken::State::add(const std::shared_ptr<Admission> &admission,
                             uint64_t id) {
  const std::lock_guard lock(mutex);
  if (!cancelled)
    requests.emplace(Key(admission.get(), id), admission);
  return !cancelled;
}

void CancelToken::State::remove(const Admission &admission, uint64_t id) {
  const std::lock_guard lock(mutex);
  requests.erase({&admission, id});
}

void CancelToken::State::cancel() {
  std::map<Key, std::weak_ptr<Admission>> all;
  {
    const std::lock_guard lock(mutex);
    cancelled = true;
    all.swap(requests);
  }
  // The mutex is free here, because requests that end remove themselves.
  for (const auto &[key, weak] : all)
    if (const std::shared_ptr<Admission> admission = weak.lock())
      admission->cancel(key.second, reason());
}

Status CancelToken::State::reason() {
  return guarded("cancel", [] {
    return Status(StatusCode::Cancelled, "the run was cancelled by its token");
  });
}

bool CancelToken::State::isCancelled() const {
  const std::lock_guard lock(mutex);
  return cancelled;
}
