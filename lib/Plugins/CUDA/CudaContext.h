//===- CudaContext.h - A GPU as this process uses it ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H
#define WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H

#include "CudaApi.h"
#include "weir/Support/Status.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace weir {

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
  /// Ok, or since when the device is lost.
  Status checkPresent() const;

  /// Asks again and again until a call of the driver succeeds, or the device is
  /// lost: what `ask` waits for may be under way until then. A driver that
  /// refuses for ten seconds counts as lost.
  void askUntilDone(const std::function<CUresult()> &ask);
  /// Waits for all that the stream was asked for, so that the device does not
  /// touch its buffers any more. Captures nothing.
  void drain(CUstream stream);

  /// Makes the context the current one of the calling thread, which belongs to
  /// the plug-in. Captures of other threads do not affect what it asks for.
  Status makeCurrent();
  /// Lets direct copies reach the memory of `other`, if the machine can do
  /// that.
  Status enablePeer(CudaContext &other);

  /// While it exists, the context is the current one of its thread, and
  /// captures of other threads do not affect what the thread asks for, nor the
  /// other way round.
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
  Status retain(int ordinal);
  void lose(std::string_view why);

  CUdevice gpu = 0;
  CUcontext handle = nullptr;
  uint32_t archNumber = 0;
  std::atomic<bool> isLost{false};
  mutable std::mutex mutex;
  std::string firstLoss;
  /// The GPUs whose memory it reaches. The driver refuses to hear it twice.
  std::set<CUdevice> peers;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDACONTEXT_H
