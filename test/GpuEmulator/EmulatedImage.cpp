//===- EmulatedImage.cpp - Code for emulated GPUs -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EmulatedImage.h"

#include "Target/NVPTX/GpuEmulation.h"
#include "weir/Artifact/GpuCode.h"
#include "weir/Support/SystemError.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;
using namespace weir::emulator;

EmulatedImage::~EmulatedImage() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

Status EmulatedImage::open(std::span<const std::byte> bytes) {
  file = memfd_create("weir-emulation", MFD_CLOEXEC);
  if (file < 0)
    return systemError("cannot create memory for code");
  if (write(file, bytes.data(), bytes.size()) !=
      static_cast<ssize_t>(bytes.size()))
    return systemError("cannot copy code to memory");
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle ? Status::ok()
                : dataLoss(fmt::format("code cannot be loaded: {}", dlerror()));
}

StatusOr<EmulatedImage> EmulatedImage::load(std::span<const std::byte> blob) {
  WEIR_ASSIGN_OR_RETURN(const auto images, artifact::parseGpuCode(blob));
  const auto found =
      std::ranges::find(images, emulationImage, &artifact::GpuImage::kind);
  if (found == images.end())
    return invalidArgument("the artifact has no code for emulated GPUs; "
                           "compile it for devices whose code is emulated");
  EmulatedImage image;
  WEIR_RETURN_IF_ERROR(image.open(found->bytes));
  return image;
}

StatusOr<WeirKernelFunction> EmulatedImage::find(uint32_t number) const {
  const auto *table =
      static_cast<const WeirKernelTable *>(dlsym(handle, "weir_kernels"));
  if (!table || number >= table->count)
    return dataLoss(fmt::format("the code has no kernel {}", number));
  return reinterpret_cast<const WeirKernelFunction *>(table + 1)[number];
}
