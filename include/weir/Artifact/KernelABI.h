//===- KernelABI.h - The ABI of generated kernels ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A generated kernel is a function in a shared object that imports nothing and
// exports one table, `weir_kernels`. Both halves of Weir rely on these
// declarations; any change raises WEIR_KERNEL_ABI.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_KERNELABI_H
#define WEIR_ARTIFACT_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_KERNEL_ABI 1

/// The arguments of a kernel, which runs its tasks [begin, end).
struct WeirKernelArgs {
  /// The addresses of buffers: one per operand, then one per result.
  void *const *buffers;
  /// Sizes that are known only at run time, or null.
  const int64_t *dims;
  int64_t begin;
  int64_t end;
  /// Scratch memory of the calling thread, aligned to 64 bytes.
  void *scratch;
};

typedef void (*WeirKernelFunction)(const struct WeirKernelArgs *);

/// The table that a shared object exports as `weir_kernels`. The functions
/// follow it.
struct WeirKernelTable {
  uint32_t abi;
  uint32_t count;
};

#ifdef __cplusplus
}
#endif

#endif // WEIR_ARTIFACT_KERNELABI_H
