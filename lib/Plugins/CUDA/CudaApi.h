//===- CudaApi.h - The driver of NVIDIA's GPUs ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The driver is a library of the machine and not of Weir. It is opened when a
// device is first asked for. So Weir also runs on machines without a driver.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAAPI_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAAPI_H

#include "weir/Support/Status.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <string>
#include <string_view>

namespace weir {

/// The functions of the driver by their names in cuda.h.
class CudaApi {
public:
  /// The driver, ready for use on at least one GPU; or why there is no GPU. The
  /// first call opens the driver. Thread-safe.
  static StatusOr<const CudaApi *> get();

#define WEIR_CUDA_FUNCTION(name, version)                                      \
  PFN_##name##_v##version name = nullptr;
#include "CudaFunctions.inc"

  /// Ok, or an error that names `call`.
  Status check(CUresult result, std::string_view call) const;

  /// The number of GPUs.
  int numDevices = 0;

private:
  Status load();
};

/// Opens the library `soname`: from one of the folders that WEIR_CUDA_LIB_PATH
/// lists if one has it, else from the system. The library stays open.
StatusOr<void *> openCudaLibrary(const std::string &soname);

/// `text` of another program with spaces in place of control characters.
std::string oneLine(std::string text);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAAPI_H
