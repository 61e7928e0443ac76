//===- CudaModule.h - Generated code on a GPU -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H

#include "CudaContext.h"
#include "weir/Artifact/GpuCode.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace weir {

/// The image that a GPU of the architecture `arch` runs best: machine code for
/// the same architecture, else for the newest one below it with the same first
/// number, else PTX for the newest one up to it; or why there is none.
StatusOr<artifact::GpuImage>
chooseImage(std::span<const artifact::GpuImage> images, uint32_t arch);

/// The kernels of one blob, loaded on one GPU.
class CudaModule {
public:
  static StatusOr<std::shared_ptr<CudaModule>>
  load(std::shared_ptr<CudaContext> context, std::span<const std::byte> blob);
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  /// The kernel with number `function`, which has `numBuffers` parameters.
  StatusOr<CUkernel> find(uint32_t function, size_t numBuffers);

  CudaContext &context() const { return *owner; }

private:
  explicit CudaModule(std::shared_ptr<CudaContext> owner)
      : owner(std::move(owner)) {}
  Status loadImage(const artifact::GpuImage &image);

  std::shared_ptr<CudaContext> owner;
  CUlibrary library = nullptr;
};

/// The modules of a device that kernels use. Thread-safe.
class CudaModules {
public:
  /// The module of `blob`, which stays where it is as long as somebody uses the
  /// module. The first call loads it.
  StatusOr<std::shared_ptr<CudaModule>>
  get(const std::shared_ptr<CudaContext> &context,
      std::span<const std::byte> blob);

private:
  std::mutex mutex;
  std::map<const std::byte *, std::weak_ptr<CudaModule>> modules;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAMODULE_H
