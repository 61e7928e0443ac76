//===- QueueTeam.h - Who runs the kernels of a queue ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// To hand a run to a queue's thread, and to wake the caller after it, takes
// more time than a small network. So if one queue does all the work of a run,
// the caller carries out the run itself.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_QUEUETEAM_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_QUEUETEAM_H

namespace weir {

/// Prepares threads for the kernels of one queue, and says which callers may
/// run them. One thread at a time runs kernels: the queue's own thread, or a
/// caller during its turn.
class QueueTeam {
public:
  virtual ~QueueTeam() = default;

  /// The outcome when a caller asks for its turn.
  enum class Turn {
    /// The calling thread is unchanged, and it must not run the kernels.
    Refused,
    Begun,
    /// The calling thread has a team of its own while the queue's thread has
    /// one, too. There would be more threads than cores, and all threads would
    /// sleep between kernels. So `rest` must follow before the kernels run.
    TakenOver
  };
  /// Prepares the calling thread. `needsTeam` says whether the kernels divide
  /// their work between threads.
  virtual Turn beginTurn(bool needsTeam) = 0;
  /// Restores the state that the thread had before `beginTurn`.
  virtual void endTurn() = 0;

  /// Ends the team of the queue's thread. Called on that thread.
  virtual void rest() = 0;
  /// Called on the queue's thread before a run that needs a team but does
  /// without it.
  virtual void beginAlone() = 0;

  /// Called when the calling thread hands work that needs a team to the queue's
  /// thread. Ends the team of the calling thread, if it has one. Any thread may
  /// call this at any time.
  virtual void handOver() = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_QUEUETEAM_H
