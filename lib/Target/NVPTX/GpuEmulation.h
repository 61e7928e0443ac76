//===- GpuEmulation.h - The ABI of kernels on an emulated GPU ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A GPU kernel can also be compiled for the CPU, so that its results can be
// checked without a GPU. The image is a shared object as in KernelABI.h. Each
// call is one thread of one block. `WeirKernelArgs::scratch` points to the
// EmulatedThread. `begin` and `end` are not used.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_GPUEMULATION_H
#define WEIR_LIB_TARGET_NVPTX_GPUEMULATION_H

#include "weir/Artifact/GpuCode.h"

#include <cstdint>

namespace weir {

/// The kind of an image with emulated kernels.
inline constexpr auto emulationImage =
    static_cast<artifact::GpuImage::Kind>(0x8001);

/// A thread of an emulated GPU.
struct EmulatedThread {
  /// The number of the thread in its block. `block` is the number of the block
  /// in the launch.
  uint64_t thread;
  uint64_t block;
  /// The memory that the threads of the block share.
  void *shared;
  /// Returns when all threads of the block have called it from the same place.
  void (*barrier)(EmulatedThread *);
  /// Returns the `value` of another thread of the same warp. The numbers of
  /// both threads differ exactly in the bits `mask`. All threads of a warp must
  /// call this from the same place.
  uint64_t (*shuffle)(EmulatedThread *, uint64_t value, uint64_t mask);
};

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_GPUEMULATION_H
