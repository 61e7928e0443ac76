//===- ProcessorMask.h - A set of processors for the scheduler --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_PROCESSORMASK_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_PROCESSORMASK_H

#include <sched.h>

#include <cstddef>

namespace weir {

/// A set of the processors 0 to 4095. A single cpu_set_t ends at 1023, and the
/// kernel refuses to fill one that is smaller than the machine. Allocates
/// nothing.
class ProcessorMask {
public:
  void add(int processor) { CPU_SET_S(processor, sizeof(sets), sets); }
  bool contains(int processor) const {
    return CPU_ISSET_S(processor, sizeof(sets), sets);
  }
  /// Reads the affinity of `thread`. 0 is the calling thread, and the number of
  /// a process is its main thread. False if the system refuses.
  bool readFrom(pid_t thread) {
    return sched_getaffinity(thread, sizeof(sets), sets) == 0;
  }
  /// Sets the affinity of `thread`, which is numbered as in `readFrom`. False
  /// if the system refuses.
  bool applyTo(pid_t thread) const {
    return sched_setaffinity(thread, sizeof(sets), sets) == 0;
  }

private:
  cpu_set_t sets[4] = {};
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_PROCESSORMASK_H
