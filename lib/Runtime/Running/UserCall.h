//===- UserCall.h - Calls to the user that devices wait for -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_USERCALL_H
#define WEIR_LIB_RUNTIME_RUNNING_USERCALL_H

namespace weir {

/// While it exists, its thread is in a call to the user that devices wait for.
class UserCall {
public:
  UserCall();
  ~UserCall();
  UserCall(const UserCall &) = delete;
  UserCall &operator=(const UserCall &) = delete;

  /// Whether the calling thread is in such a call. It must not wait for a
  /// device.
  static bool isHere();
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_USERCALL_H
