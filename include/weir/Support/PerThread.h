//===- PerThread.h - Values that each thread has ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PERTHREAD_H
#define WEIR_SUPPORT_PERTHREAD_H

namespace weir {

/// A value of type `T` for each thread. `Tag` distinguishes values of one type.
/// When the process ends, the main thread destroys its values before it runs
/// functions that may still use Weir.
template <typename T, typename Tag> class PerThread {
public:
  /// The calling thread's value; null if it was destroyed.
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
