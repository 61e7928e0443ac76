//===- EmulatedEntries.cpp - Generated code on pretended GPUs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EmulatedEntries.h"

#include "../GpuEmulator/EmulatedBlock.h"
#include "../GpuEmulator/EmulatedImage.h"
#include "Loading/KernelCache.h"
#include "TestPaths.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/GpuCode.h"
#include "weir/Artifact/Schema.h"
#include "weir/Support/IndexCheckAttrs.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>

using namespace weir;
using namespace weir::test;
using emulator::EmulatedBlock;
using emulator::EmulatedImage;
using emulator::ThreadOrder;

namespace {

/// The code of a kernel and what it needs.
struct Entry {
  Entry(std::shared_ptr<const EmulatedImage> image, WeirKernelFunction function,
        const GeneratedCode &code)
      : image(std::move(image)), function(function), blocks(code.tasks),
        block(code.threads, code.scratchBytes) {}

  void run(FakeCuda &driver, void *const *buffers) {
    for (uint64_t number = 0; number < blocks; ++number)
      if (const Status status =
              block.run(function, buffers, number, ThreadOrder::Ascending);
          !status.isOk())
        driver.complain(std::string(status.message()));
  }

  std::shared_ptr<const EmulatedImage> image;
  WeirKernelFunction function;
  uint64_t blocks;
  EmulatedBlock block;
};

/// The images of an artifact, by the numbers of their blobs.
class Images {
public:
  explicit Images(const artifact::Artifact &model) : model(model) {}

  StatusOr<std::shared_ptr<const EmulatedImage>> get(int64_t blob) {
    if (const auto found = images.find(blob); found != images.end())
      return found->second;
    const auto number = static_cast<size_t>(blob);
    WEIR_ASSIGN_OR_RETURN(const auto bytes, model.readBlob(number));
    const uint64_t size =
        model.model().blobs()->Get(static_cast<uint32_t>(number))->bytes();
    WEIR_ASSIGN_OR_RETURN(EmulatedImage image,
                          EmulatedImage::load({bytes.get(), size}));
    return images[blob] =
               std::make_shared<const EmulatedImage>(std::move(image));
  }

private:
  const artifact::Artifact &model;
  std::map<int64_t, std::shared_ptr<const EmulatedImage>> images;
};

} // namespace

/// The plug-in's own kernel that puts the channels of weights last.
template <typename Element> static FakeKernel channelsKernel() {
  FakeKernel kernel{
      1, 1, [](float *const *buffers, size_t size) {
        const auto sizes = reinterpret_cast<uint64_t>(buffers[2]);
        const size_t channels = sizes & UINT32_MAX, cells = sizes >> 32;
        const auto *from = reinterpret_cast<const Element *>(buffers[0]);
        auto *to = reinterpret_cast<Element *>(buffers[1]);
        for (size_t i = 0; i < size; ++i) {
          const size_t channel = i % channels, cell = i / channels % cells,
                       outer = i / channels / cells;
          to[i] = from[(outer * channels + channel) * cells + cell];
        }
      }};
  kernel.elementBytes = sizeof(Element);
  kernel.numNumbers = 1;
  return kernel;
}

StatusOr<FakeCuda *> test::openPretendedDriver() {
  setenv("WEIR_CUDA_LIB_PATH", paths::fakeCudaFolder, 1);
  void *library = dlopen(paths::fakeCuda, RTLD_NOW);
  if (!library)
    return internalError(dlerror());
  FakeCuda *driver =
      reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
  driver->define(artifact::gpuEntryName(1002), channelsKernel<uint32_t>());
  driver->define(artifact::gpuEntryName(1003), channelsKernel<uint16_t>());
  return driver;
}

static Status define(const KernelSpec &spec, Images &images, FakeCuda &driver) {
  WEIR_ASSIGN_OR_RETURN(const auto image, images.get(spec.code.blob));
  WEIR_ASSIGN_OR_RETURN(const WeirKernelFunction function,
                        image->find(spec.code.function));
  FakeKernel kernel;
  kernel.numReads = spec.operands.size();
  kernel.numWrites = spec.results.size();
  for (const auto *tensors : {&spec.operands, &spec.results})
    for (const TensorDesc &tensor : *tensors)
      kernel.bytes.push_back(tensor.spanBytes());
  WEIR_ASSIGN_OR_RETURN(const auto checks, parseIndexChecks(spec.attrs));
  for (const IndexCheck &check : checks)
    kernel.numFlags += check.sizes.size();
  auto entry = std::make_shared<Entry>(image, function, spec.code);
  kernel.body = [entry, &driver](float *const *buffers, size_t) {
    entry->run(driver, reinterpret_cast<void *const *>(buffers));
  };
  driver.define(artifact::gpuEntryName(spec.code.function), std::move(kernel));
  return Status::ok();
}

Status test::defineEntries(const std::string &path, FakeCuda &driver) {
  WEIR_ASSIGN_OR_RETURN(const artifact::Artifact model,
                        artifact::Artifact::open(path));
  Images images(model);
  for (const artifact::Variant *variant : *model.model().variants()) {
    if (!variant->kernels())
      continue;
    for (const artifact::Kernel *kernel : *variant->kernels()) {
      const KernelSpec spec = toSpec(*kernel);
      // Code for CPUs has no threads of blocks.
      if (spec.code.blob >= 0 && spec.code.threads > 0)
        WEIR_RETURN_IF_ERROR(define(spec, images, driver));
    }
  }
  return Status::ok();
}
