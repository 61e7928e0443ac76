//===- StreamWatch.h - Learns what a stream has done ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMWATCH_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMWATCH_H

#include "CudaContext.h"
#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Event.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace weir {

class StreamList;

/// The times that the last waits for a place took.
class WaitTimes {
public:
  /// The least time that the next wait is expected to take. A single wait that
  /// was long by chance does not count.
  uint64_t expectedNs() const { return std::min(last, beforeLast); }
  void add(uint64_t ns) { beforeLast = std::exchange(last, ns); }

private:
  uint64_t last = 0;
  uint64_t beforeLast = 0;
};

/// A place in the work that a stream was asked for.
struct StreamPlace {
  /// The submission to which the place belongs.
  Submission *submission = nullptr;
  /// The last step before the place.
  size_t step = 0;
  /// The times of waits for the place in the last runs, or null. Only the
  /// thread that waits for the place uses them.
  WaitTimes *times = nullptr;
};

/// A place where `event` is signalled with `value`.
struct EventMark : StreamPlace {
  Event *event = nullptr;
  uint32_t value = 0;
};

/// The end of a submission.
struct SubmissionEnd : StreamPlace {
  /// The time at which the submission was begun, and the time that it has
  /// waited since.
  uint64_t beginNs = 0;
  uint64_t waitedNs = 0;
  /// The data that the queue has derived from the list, or null if the
  /// derivation has failed. `CommandList::derived` is not read instead, because
  /// the queue may be deriving it for a later run.
  StreamList *derived = nullptr;
};

/// A thread that waits for the places of one stream, in their order, and ends
/// submissions. Meanwhile the queue can ask the stream for the next run.
class StreamWatch {
public:
  /// `onEnd` is called with the end of a submission when the stream has carried
  /// the submission out, or does no more of it.
  StreamWatch(std::shared_ptr<CudaContext> context, CUstream stream,
              std::function<void(const SubmissionEnd &)> onEnd);
  /// Waits for all places.
  ~StreamWatch();

  /// Starts the thread, and returns when it is ready.
  Status start();

  /// Marks the place up to which the stream was asked for work. The stream's
  /// context is the current one. If this fails, the run fails, and the stream
  /// has ended its work. Waits while very many places are under way.
  void mark(const EventMark &mark) { append(begin(mark)); }
  void mark(const SubmissionEnd &end) { append(begin(end)); }
  /// Waits for the place of `end` on the calling thread. No other place is
  /// under way. Does not call `onEnd`.
  void reachHere(const SubmissionEnd &end);

  /// Whether a stream has a place of `run` behind places of a run that is not
  /// cancelled. Other streams may wait for such a place in the driver.
  static bool isBehindOthers(const RunControl &run);

private:
  using Mark = std::variant<EventMark, SubmissionEnd>;
  struct Place {
    Mark mark;
    /// Null if the stream has reached the place.
    CUevent reached = nullptr;

    const StreamPlace &where() const {
      return std::visit(
          [](const StreamPlace &each) -> const StreamPlace & { return each; },
          mark);
    }
  };
  void watch();
  /// Asks the stream to say when it reaches the place of `mark`.
  Place begin(const Mark &mark);
  void append(const Place &place);
  /// The oldest place, or nothing if there is none.
  std::optional<Place> take();
  StatusOr<CUevent> recordEvent();
  void release(CUevent event);
  /// The wait for the places of a submission.
  static RunWait waitOf(const Submission &submission);
  Status waitFor(const Place &place, RunWait &wait);
  /// Returns when the stream has come to the place. `wait` is the wait of its
  /// submission.
  void reach(const Place &place, RunWait &wait);
  /// Returns when the stream has come to all places.
  void reachAll();
  bool keepsBehind(const RunControl &run);
  /// Tells whoever waits for the place that the stream has reached it.
  void arrive(const Place &place);
  void fail(const StreamPlace &place, Status status, std::string_view more);
  /// The step of `place`, for errors.
  std::string describe(const StreamPlace &place) const;

  const std::shared_ptr<CudaContext> context;
  const CUstream stream;
  const std::function<void(const SubmissionEnd &)> onEnd;
  Completion started;
  Status startStatus;
  /// Counts the places so far, and one more at the end.
  Event work;
  std::mutex mutex;
  std::condition_variable hasRoom;
  /// A ring of `numPlaces` places from `first` on. The mutex protects it and
  /// all members that follow.
  std::vector<Place> ring;
  size_t first = 0;
  size_t numPlaces = 0;
  uint32_t numMarked = 0;
  /// The run of the place that the thread waits for, or null.
  const RunControl *current = nullptr;
  std::vector<CUevent> unused;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMWATCH_H
