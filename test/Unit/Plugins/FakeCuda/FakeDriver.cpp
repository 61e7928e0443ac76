//===- FakeDriver.cpp - The driver's functions on pretended GPUs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstring>
#include <utility>

using namespace weir::test;

void weir::test::pauseSometimes() {
  static thread_local unsigned number = 0;
  if (++number % 7 == 0)
    std::this_thread::yield();
}

CUresult FakeDriver::cuGetErrorName(CUresult error, const char **name) {
  static constexpr std::pair<CUresult, const char *> names[] = {
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
       "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"}};
  *name = nullptr;
  for (const auto &[code, text] : names)
    if (code == error)
      *name = text;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuGetErrorString(CUresult, const char **text) {
  *text = "as was asked for";
  return CUDA_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2(const char *name, void **function, int, cuuint64_t,
                    CUdriverProcAddressQueryResult *found) {
  *function = nullptr;
  *found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
#define WEIR_CUDA_FUNCTION(wanted, version)                                    \
  if (std::strcmp(name, #wanted) == 0) {                                       \
    const PFN_##wanted##_v##version address = FakeDriver::wanted;              \
    *function = reinterpret_cast<void *>(address);                             \
    *found = CU_GET_PROC_ADDRESS_SUCCESS;                                      \
  }
#include "../../../../lib/Plugins/CUDA/CudaFunctions.inc"
  // The real driver succeeds for names that it does not know, too.
  return CUDA_SUCCESS;
}
