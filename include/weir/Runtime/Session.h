//===- Session.h - Loads an artifact and runs it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The public entry to the runtime:
//
//   auto session = weir::Session::load("model.weir");
//   if (!session.isOk())
//     return session.status();
//   auto status = (*session)->run(inputs, outputs);
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_SESSION_H
#define WEIR_RUNTIME_SESSION_H

#include "weir/Runtime/SessionStats.h"
#include "weir/Runtime/Tensor.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

namespace artifact {
class Artifact;
} // namespace artifact

class DeviceDriver;
class HostTensor;
class Trace;

struct SessionOptions {
  /// The entry to run. Empty: the only one, else the one called "main".
  std::string entry;
  /// Threads of each device, at most 1024; 0: as the artifact says.
  int threads = 0;
  /// Whether threads are pinned to cores if the devices use all cores of the
  /// process. Set to false if other work shares the machine.
  bool pinThreads = true;
  /// Whether `run` may compute on the calling thread if one device does all of
  /// the work. This saves waking two threads. Kernels that need several threads
  /// run there only if no other code in the process is linked with the OpenMP
  /// library that Weir calls. The thread then has an OpenMP team of the
  /// device's size. Set to false if the thread has a small stack.
  bool runOnCaller = true;
  /// Whether a run fails with the first op whose result contains a NaN or
  /// infinity. Slow.
  bool checkNumerics = false;
  /// Records each step of each run; or null. It must outlive the session.
  Trace *trace = nullptr;
  /// Receives tensors during runs; or null. It must outlive the session.
  TensorObserver *observer = nullptr;
  /// Drivers in addition to the built-in ones. They override built-in drivers
  /// of the same kind and must outlive the session.
  std::vector<const DeviceDriver *> deviceDrivers;
};

/// An entry of an artifact, loaded and ready. All members are thread-safe.
///
/// One run is in flight at a time; others wait in the order of their calls.
/// After a failed run the session stays usable, but variables may hold values
/// of the failed run. If a kernel, an observer or the allocator throws while an
/// artifact is loaded or run, the exception becomes an error.
///
/// An observer may call its own session, but not destroy it. There `run` is an
/// error, since it would wait for itself.
class Session {
public:
  static StatusOr<std::unique_ptr<Session>>
  load(const std::string &path, const SessionOptions &options = {});
  /// The same for an artifact in memory, which is copied.
  static StatusOr<std::unique_ptr<Session>>
  load(std::span<const std::byte> bytes, const SessionOptions &options = {});
  static StatusOr<std::unique_ptr<Session>>
  load(artifact::Artifact artifact, const SessionOptions &options = {});

  /// Stops the session.
  ~Session();

  /// The inputs and outputs, in the order in which `run` takes them.
  std::span<const TensorInfo> inputs() const;
  std::span<const TensorInfo> outputs() const;
  /// The position of an input or output, or nothing if none has the name.
  std::optional<size_t> findInput(std::string_view name) const;
  std::optional<size_t> findOutput(std::string_view name) const;

  /// Runs the entry on buffers of the caller, without a copy. An output must
  /// not overlap any other buffer, and nobody may change the buffers until the
  /// call returns.
  Status run(std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs);

  /// Runs the entry and returns its outputs.
  StatusOr<std::vector<HostTensor>> run(std::span<const HostTensor> inputs);

  /// Queues a run and returns at once. The run owns the buffers until the
  /// future is ready. Throws std::bad_alloc if there is no memory for the
  /// future itself; nothing is queued then.
  std::future<Status> runAsync(std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs);

  /// Cancels the run in flight and the waiting ones, and returns when nothing
  /// runs any more. If an observer of that run calls it, it returns at once.
  /// Later runs fail with Cancelled.
  void stop();

  SessionStats stats() const;
  /// The launches of the plan, ordered by device and by position in its
  /// program.
  std::vector<LaunchInfo> launches() const;
  /// The tensors of the model by name, in an order in which runs compute them;
  /// tensors that are not visible come last. Empty without an observer.
  std::span<const PlanTensor> tensors() const;

private:
  class State;
  explicit Session(std::unique_ptr<State> state);
  static StatusOr<std::unique_ptr<Session>>
  loadArtifact(artifact::Artifact artifact, const SessionOptions &options,
               uint64_t begin);
  Status check(std::span<const ConstTensorView> inputs,
               std::span<const TensorView> outputs) const;
  std::unique_ptr<State> state;
};

} // namespace weir

#endif // WEIR_RUNTIME_SESSION_H
