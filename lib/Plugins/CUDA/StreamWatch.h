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

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir {

/// What happens on the host when a stream has come to a place.
struct StreamMark {
  /// To which the place belongs.
  Submission *submission = nullptr;
  /// The last step before the place.
  size_t step = 0;
  /// Signalled with `value`; null at the end of the submission.
  Event *event = nullptr;
  uint32_t value = 0;
  /// When the submission was begun, and the time that it has waited since.
  uint64_t beginNs = 0;
  uint64_t waitedNs = 0;
};

/// A thread that waits for the places of one stream, in their order, and ends
/// submissions. So the queue can ask the stream for the next run meanwhile.
class StreamWatch {
public:
  StreamWatch(std::shared_ptr<CudaContext> context, CUstream stream);
  /// Waits for all places.
  ~StreamWatch();

  /// Starts the thread, and returns when it is ready.
  Status start();

  /// Marks the place that the stream was asked up to. Its context is the
  /// current one. If that fails, so does the run, and the stream has ended its
  /// work.
  void mark(const StreamMark &place);

private:
  struct Place {
    StreamMark mark;
    /// Null if the stream has reached the place.
    CUevent reached = nullptr;
  };
  void watch();
  void append(const Place &place);
  Place take();
  StatusOr<CUevent> recordEvent();
  Status waitFor(CUevent event);
  void arrive(Place &place);
  /// The step of `mark`, for errors.
  std::string describe(const StreamMark &mark) const;

  const std::shared_ptr<CudaContext> context;
  const CUstream stream;
  Completion started;
  Status startStatus;
  /// The number of places so far, and one at the end.
  Event work;
  std::mutex mutex;
  /// A ring of `numPlaces` places from `first` on. Protected by the mutex, as
  /// all that follows.
  std::vector<Place> ring;
  size_t first = 0;
  size_t numPlaces = 0;
  uint32_t numMarked = 0;
  std::vector<CUevent> unused;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMWATCH_H
