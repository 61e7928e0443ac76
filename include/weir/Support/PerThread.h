//===- PerThread.h - Values that each thread has ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PERTHREAD_H
#define WEIR_SUPPORT_PERTHREAD_H

namespace weir {

/// A value of type `T` that each thread has. `Tag` tells values of one type
/// apart. The main thread destroys its values before the process runs what it
/// calls at its end, which may use Weir.
template <typename T, typename Tag> class PerThread {
public:
  /// The calling thread's value. Null if it is destroyed.
  static T *find() {
    if (isDestroyed)
      return nullptr;
    static thread_local Holder holder;
    return &holder.value;
  }

private:
  struct Holder {
    ~Holder() { isDestroyed = true; }
    T value;
  };
  static inline thread_local bool isDestroyed = false;
};

} // namespace weir

#endif // WEIR_SUPPORT_PERTHREAD_H
