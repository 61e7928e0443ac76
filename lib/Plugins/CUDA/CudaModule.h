//===- CudaModule.h - Generated code on a GPU -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H

#include "CudaContext.h"
#include "weir/Artifact/GpuCode.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The images that a GPU of the architecture `arch` can run, the best first; or
/// why there is none. Machine code comes before PTX, and code for newer
/// architectures before code for older ones. No image is for a newer
/// architecture than `arch`. Machine code is for an architecture with the same
/// first number: sm_80 for sm_86.
StatusOr<std::vector<artifact::GpuImage>>
rankImages(std::span<const artifact::GpuImage> images, uint32_t arch);

/// The kernels of one blob, loaded on one GPU.
class CudaModule {
public:
  static StatusOr<std::shared_ptr<CudaModule>>
  load(std::shared_ptr<CudaContext> context, std::span<const std::byte> blob);
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  /// The kernel with number `function`, which has `numBuffers` parameters and
  /// whose blocks have `numThreads` threads and at most `sharedBytes` of shared
  /// memory. It is compiled and loaded when this returns. The context is the
  /// current one.
  StatusOr<CUfunction> find(uint32_t function, size_t numBuffers,
                            uint32_t numThreads, uint64_t sharedBytes);

  CudaContext &context() const { return *owner; }

private:
  explicit CudaModule(std::shared_ptr<CudaContext> owner)
      : owner(std::move(owner)) {}
  Status loadBest(std::span<const artifact::GpuImage> images);
  CUresult loadImage(const artifact::GpuImage &image);
  CUresult tryImage(const artifact::GpuImage &image, std::string_view &call);
  Status refusal(CUresult result, std::string_view call);
  Status checkParameters(CUkernel kernel, const std::string &name,
                         size_t numBuffers);
  Status checkThreads(CUkernel kernel, const std::string &name,
                      uint32_t numThreads);
  Status allowShared(CUkernel kernel, uint32_t function, uint64_t bytes);
  /// Ok, or an error that names `call` and includes the messages of the
  /// driver's compiler.
  Status check(CUresult result, std::string_view call);

  std::shared_ptr<CudaContext> owner;
  CUlibrary library = nullptr;
  /// The messages of the driver's compiler, and the options that tell the
  /// driver where to write them. The driver may compile a kernel long after it
  /// has loaded the image.
  std::array<char, 2048> log{};
  std::array<CUjit_option, 2> options{};
  std::array<void *, 2> values{};
  /// The most shared memory of blocks of a function. Kernels of one device are
  /// prepared one at a time.
  std::map<uint32_t, uint64_t> sharedBytesOf;
};

/// The modules of a device that kernels use. Thread-safe.
class CudaModules {
public:
  /// The module of `blob`, which must stay at its address as long as the module
  /// is used. The first call loads the module.
  StatusOr<std::shared_ptr<CudaModule>>
  get(const std::shared_ptr<CudaContext> &context,
      std::span<const std::byte> blob);

private:
  std::mutex mutex;
  std::map<const std::byte *, std::weak_ptr<CudaModule>> modules;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H
