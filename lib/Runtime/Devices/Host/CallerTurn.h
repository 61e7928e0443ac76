//===- CallerTurn.h - Work of a queue on a caller's thread ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Handing a run to a queue's thread and waking the caller afterwards costs more
// than a small network. Where one queue has all the work of a run, the caller
// carries it out itself.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H

namespace weir {

/// Readies the threads of callers for the kernels of one queue. One thread at a
/// time has a turn.
class CallerTurn {
public:
  virtual ~CallerTurn() = default;

  /// Readies the calling thread, for kernels that share their work with other
  /// threads where `needsTeam`. False leaves it as it was: it must not run
  /// them.
  virtual bool begin(bool needsTeam) = 0;

  /// Whether a thread has got its own team with the last `begin`, for the first
  /// time. While that of the queue's thread were there too, there would be more
  /// threads than cores, and all would sleep between kernels.
  virtual bool hasTakenOver() = 0;

  /// Leaves the thread as `begin` found it.
  virtual void end() = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_CALLERTURN_H
