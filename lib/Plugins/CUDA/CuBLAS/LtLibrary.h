//===- LtLibrary.h - The library cuBLASLt -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTLIBRARY_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTLIBRARY_H

#include "../CudaContext.h"

#include <cublasLt.h>
#include <memory>
#include <string_view>

namespace weir {

/// The functions of cuBLASLt by their names in cublasLt.h.
class LtLibrary {
public:
  /// Opens the library at the first call. Thread-safe.
  static StatusOr<const LtLibrary *> get();

#define WEIR_LT_FUNCTION(name) decltype(&::name) name = nullptr;
#include "LtFunctions.inc"

  /// Ok, or an error that names `call`.
  Status check(cublasStatus_t result, std::string_view call) const;

private:
  Status load();
};

/// The use of cuBLASLt on one GPU.
class LtDevice {
public:
  /// The device of `context`. All callers share it. Thread-safe.
  static StatusOr<std::shared_ptr<LtDevice>>
  of(const std::shared_ptr<CudaContext> &context);
  ~LtDevice();
  LtDevice(const LtDevice &) = delete;
  LtDevice &operator=(const LtDevice &) = delete;

  const LtLibrary &library;
  CudaContext &context() const { return *owner; }
  /// The handle of cuBLASLt. All threads may use it at the same time.
  cublasLtHandle_t handle() const { return own; }

private:
  LtDevice(const LtLibrary &library, std::shared_ptr<CudaContext> owner)
      : library(library), owner(std::move(owner)) {}
  Status start();

  std::shared_ptr<CudaContext> owner;
  cublasLtHandle_t own = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTLIBRARY_H
