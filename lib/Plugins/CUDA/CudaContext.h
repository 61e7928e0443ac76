//===- CudaContext.h - A GPU as this process uses it ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H
#define WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H

#include "CudaApi.h"
#include "weir/Runtime/DeviceQueue.h"
#include "weir/Support/Status.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace weir {

/// A wait for work of a run.
struct RunWait {
  /// Null if the work belongs to no run.
  const RunControl *run = nullptr;
  /// Says whether the GPU must end other runs before `run`. Null if it never
  /// must.
  bool (*isBehindOthers)(const RunControl &run) = nullptr;
  /// The time (monotonicNs) since which the run has been cancelled, with no
  /// other run before it. Empty until that time.
  std::optional<uint64_t> dueNs = std::nullopt;

  /// The time that the GPU has had at `nowNs` to end the cancelled run, in ns.
  uint64_t overdueNs(uint64_t nowNs);
};

/// The primary context of a GPU, which libraries of NVIDIA use as well. Each
/// GPU has one object, which is kept until the process ends: to make a context
/// again takes a tenth of a second. Thread-safe.
class CudaContext {
public:
  /// GPU `ordinal`.
  static StatusOr<std::shared_ptr<CudaContext>> open(const CudaApi &api,
                                                     int ordinal);
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const CudaApi &api;
  /// "cuda:0".
  const std::string name;
  CUdevice device() const { return gpu; }
  /// The number of the architecture: 90 for sm_90.
  uint32_t arch() const { return archNumber; }

  /// Ok, or an error that names `call`. After an error that no later call
  /// survives, the device is lost.
  Status check(CUresult result, std::string_view call);
  /// Ok, or an error if the device is lost.
  Status checkPresent() const;

  /// Whether the GPU has not been given up. It is given up if it does not end a
  /// cancelled run within its patience. The device is lost from then on. The
  /// GPU may still be at work, so nothing that it may use is freed.
  bool answers() const { return state != State::GivenUp; }
  /// Sets how long the GPU may take to end a cancelled run, for all sessions.
  void setPatience(std::chrono::seconds time) { patience = time; }
  /// Calls `free`, which frees what the GPU may use, in the context. If the GPU
  /// was given up, does nothing: the driver would wait for it.
  void release(const std::function<void()> &free);
  /// Adds to the bytes of the GPU's memory that are allocated.
  void addAllocated(int64_t bytes) { allocatedBytes += bytes; }

  /// Asks the driver again and again until something is done: `ask` returns
  /// CUDA_ERROR_NOT_READY until then. Sleeps between questions after the time
  /// `restlessUntil` (monotonicNs). No thread waits in the driver, since it
  /// could not be called back. If `wait` has a run, the GPU is given up when
  /// its patience is over. Ok, or an error that names `call`.
  Status await(RunWait &wait, std::string_view call,
               const std::function<CUresult()> &ask, uint64_t restlessUntil);
  /// Waits in this way for everything that `stream` was asked for. The stream
  /// is not being captured.
  Status await(RunWait &wait, CUstream stream);
  Status await(CUstream stream);
  /// Waits for `stream` in this way, but also returns when `run` is cancelled,
  /// since the stream may be at work for other runs. Returns whether the stream
  /// has ended its work.
  StatusOr<bool> awaitUnlessCancelled(const RunControl &run, CUstream stream);
  /// Waits like `await`. If the driver refuses to answer, the work that `ask`
  /// asks about may be under way, so the driver is asked again until the device
  /// is lost. A driver that refuses for ten seconds counts as lost.
  void awaitSurely(RunWait &wait, const std::function<CUresult()> &ask);
  /// Waits like `awaitSurely` for everything that `stream` was asked for. Then
  /// the device does not touch the buffers of this work any more. The stream is
  /// not being captured.
  void drain(RunWait &wait, CUstream stream);
  void drain(CUstream stream);

  /// Makes the context the current one of the calling thread, which must be a
  /// thread of the plug-in. Captures of other threads do not affect what the
  /// calling thread asks for.
  Status makeCurrent();
  /// The kind of the memory at `address`, as the driver says; none if it is
  /// pageable memory of the host.
  std::optional<CUmemorytype> memoryType(CUdeviceptr address) const;
  /// Lets direct copies reach the memory of `other`, if the machine can do
  /// that.
  Status enablePeer(CudaContext &other);

  /// While an object exists, the context is the current one of the object's
  /// thread. Captures of other threads do not affect what the thread asks for,
  /// and the thread's captures do not affect other threads.
  class Use {
  public:
    explicit Use(CudaContext &context);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    /// Ok, or why the context could not be used.
    const Status &status() const { return entered; }

  private:
    Status enter();

    CudaContext &context;
    bool isPushed = false;
    CUstreamCaptureMode outerMode = CU_STREAM_CAPTURE_MODE_RELAXED;
    Status entered;
  };

private:
  CudaContext(const CudaApi &api, std::string name)
      : api(api), name(std::move(name)) {}
  /// Whether the GPU can be used. Later states are worse.
  enum class State { Present, Lost, GivenUp };

  Status retain(int ordinal);
  /// Sets the state to `newState`, unless the GPU is in a worse one.
  void lose(State newState, std::string_view why);
  void giveUp();

  CUdevice gpu = 0;
  CUcontext handle = nullptr;
  uint32_t archNumber = 0;
  /// Changes while the mutex is held.
  std::atomic<State> state{State::Present};
  std::atomic<std::chrono::seconds> patience{std::chrono::seconds(30)};
  std::atomic<int64_t> allocatedBytes{0};
  mutable std::mutex mutex;
  std::string firstLoss;
  /// The GPUs whose memory this GPU reaches. The driver refuses to enable the
  /// same GPU twice.
  std::set<CUdevice> peers;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H
