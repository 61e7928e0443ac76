//===- CudnnLibrary.h - The library cuDNN -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNLIBRARY_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNLIBRARY_H

#include "../CudaContext.h"
#include "weir/Cache/CacheFile.h"

#include <cudnn_graph.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// cuDNN as this process found it.
class CudnnLibrary {
public:
  /// Opens the library at the first call. Thread-safe.
  static StatusOr<const CudnnLibrary *> get();

  /// Ok, or an error that names `call`.
  Status check(cudnnStatus_t result, std::string_view call) const;

  /// The handle that dlopen returned.
  void *library = nullptr;
  /// The version as a number: 90190 for 9.19.0.
  size_t version = 0;
  decltype(&::cudnnCreate) create = nullptr;
  decltype(&::cudnnDestroy) destroy = nullptr;
  decltype(&::cudnnSetStream) setStream = nullptr;

private:
  Status load();

  decltype(&::cudnnGetErrorString) getErrorString = nullptr;
  decltype(&::cudnnGetLastErrorString) getLastErrorString = nullptr;
};

/// The handles of cuDNN on one GPU.
class CudnnDevice {
public:
  /// The device of `context`. All callers share it. Thread-safe.
  static StatusOr<std::shared_ptr<CudnnDevice>>
  of(const std::shared_ptr<CudaContext> &context);
  ~CudnnDevice();
  CudnnDevice(const CudnnDevice &) = delete;
  CudnnDevice &operator=(const CudnnDevice &) = delete;

  CudaContext &context() { return *owner; }
  const CudnnLibrary &library;

  /// Holds the handle with which plans are built. Other threads that want to
  /// build wait until the object is destroyed.
  class Building {
  public:
    explicit Building(CudnnDevice &device)
        : lock(device.buildMutex), handle(device.buildHandle),
          store(device.store ? &*device.store : nullptr) {}

  private:
    std::lock_guard<std::mutex> lock;

  public:
    cudnnHandle_t const handle;
    /// The user's cache of plans, or null if there is none.
    CacheFile *const store;
  };
  const std::string &gpuName() const { return name; }

  /// The handle that launches on `stream`. Threads may ask at the same time, if
  /// each has a stream of its own.
  StatusOr<cudnnHandle_t> handleFor(CUstream stream);

private:
  CudnnDevice(const CudnnLibrary &library, std::shared_ptr<CudaContext> owner)
      : library(library), owner(std::move(owner)) {}
  Status start();

  std::shared_ptr<CudaContext> owner;
  std::mutex buildMutex;
  cudnnHandle_t buildHandle = nullptr;
  std::mutex runMutex;
  std::map<CUstream, cudnnHandle_t> runHandles;
  std::optional<CacheFile> store;
  std::string name;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNLIBRARY_H
