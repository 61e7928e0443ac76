//===- EmulatedImage.h - Code for emulated GPUs -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_GPUEMULATOR_EMULATEDIMAGE_H
#define WEIR_TEST_GPUEMULATOR_EMULATEDIMAGE_H

#include "weir/Artifact/KernelABI.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace weir::emulator {

/// A loaded image of the kind `emulationImage`: a shared object in memory.
class EmulatedImage {
public:
  EmulatedImage(EmulatedImage &&other) noexcept
      : file(std::exchange(other.file, -1)),
        handle(std::exchange(other.handle, nullptr)) {}
  ~EmulatedImage();

  /// The image in `blob`, which is code for GPUs.
  static StatusOr<EmulatedImage> load(std::span<const std::byte> blob);
  /// The function with this number, as long as the image exists.
  StatusOr<WeirKernelFunction> find(uint32_t number) const;

private:
  EmulatedImage() = default;
  Status open(std::span<const std::byte> bytes);

  int file = -1;
  void *handle = nullptr;
};

} // namespace weir::emulator

#endif // WEIR_TEST_GPUEMULATOR_EMULATEDIMAGE_H
