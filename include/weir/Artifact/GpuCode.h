//===- GpuCode.h - Generated code for GPUs as one blob ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The generated GPU kernels of an artifact are one blob: a table of images,
// each of which contains all kernels. A driver loads the image that fits its
// device best. Both the compiler and the runtime rely on this layout.
//
// In each image, the kernel with number N is the entry `weir_kernel_N`. Its
// parameters are 64-bit addresses in the device's memory: one per operand, then
// one per result, each a multiple of `gpuBufferAlignment`. A kernel that reads
// indices (weir/Support/IndexCheckAttrs.h) has one more parameter: the address
// of flags of 32 bits, one for each size in the list of its checks. It sets a
// flag to 1 if an index is out of range, and never clears a flag. The flags may
// be in the host's memory.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_GPUCODE_H
#define WEIR_ARTIFACT_GPUCODE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir::artifact {

/// The alignment of every buffer of a GPU kernel in bytes.
inline constexpr uint64_t gpuBufferAlignment = 16;
/// The most threads of a block of a GPU kernel.
inline constexpr uint32_t maxBlockThreads = 1024;
/// The most images in one blob.
inline constexpr uint32_t maxGpuImages = 64;

/// All kernels, for one architecture.
struct GpuImage {
  enum class Kind : uint32_t {
    /// PTX as text, with a zero byte at its end. It runs on its architecture
    /// and on later ones.
    Ptx = 1,
    /// Machine code for the architecture.
    Cubin = 2,
    /// Kinds from here on are for other machines. Only the drivers of these
    /// machines know the format. The `arch` of such an image is 0.
    Private = 0x8000,
  };
  Kind kind = Kind::Ptx;
  /// The number of the architecture: 90 for sm_90.
  uint32_t arch = 0;
  std::span<const std::byte> bytes;

  /// The text of a PTX image, without the zero byte.
  std::string_view text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size() - 1};
  }
};

/// The name of the entry of the kernel with number `function`.
std::string gpuEntryName(uint32_t function);

/// A blob of `images`, in their order. There are at most `maxGpuImages`. The
/// zero byte of PTX is part of its bytes.
std::vector<std::byte> packGpuCode(std::span<const GpuImage> images);

/// The images of `blob`, whose bytes they refer to. They begin at multiples of
/// 16 bytes from the begin of `blob`. Damage is an error.
StatusOr<std::vector<GpuImage>> parseGpuCode(std::span<const std::byte> blob);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_GPUCODE_H
