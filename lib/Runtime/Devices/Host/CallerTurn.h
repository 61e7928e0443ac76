//===- CallerTurn.h - Runs the work of a queue on a caller ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Handing a run to a queue's thread and waking the caller afterwards costs more
// than a small network. So if one queue does all the work of a run, the caller
// carries it out itself.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H

namespace weir {

/// Prepares the threads of callers for the kernels of one queue. Only one
/// thread has a turn at a time.
class CallerTurn {
public:
  virtual ~CallerTurn() = default;

  /// Prepares the calling thread. With `needsTeam` the kernels divide their
  /// work between threads. On false the thread is unchanged, and it must not
  /// run the kernels.
  virtual bool begin(bool needsTeam) = 0;

  /// Whether the last `begin` gave the thread its own team while the queue's
  /// thread has one too. The latter must then end. Otherwise there would be
  /// more threads than cores, and all would sleep between kernels.
  virtual bool hasTakenOver() = 0;

  /// Restores the state of the thread before `begin`.
  virtual void end() = 0;

  /// The calling thread hands work that needs a team to the queue's thread: its
  /// own team, if it has one, ends for the same reason.
  virtual void handOver() = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H
