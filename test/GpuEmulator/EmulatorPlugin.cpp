//===- EmulatorPlugin.cpp - The device kind "emu" -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Devices that run code for GPUs on the CPU, for tests. Each kernel runs twice,
// with the threads of its blocks in ascending and in descending order, and must
// give the same bits.
//
//===----------------------------------------------------------------------===//

#include "EmulatedBlock.h"
#include "EmulatedImage.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DevicePlugin.h"
#include "weir/Support/IndexCheckAttrs.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace weir;
using emulator::EmulatedBlock;
using emulator::EmulatedImage;
using emulator::ThreadOrder;

namespace {
class EmulatedKernel final : public Kernel {
public:
  EmulatedKernel(EmulatedImage image, WeirKernelFunction function,
                 const KernelSpec &spec, std::span<const IndexCheck> checks)
      : image(std::move(image)), function(function), blocks(spec.code.tasks),
        block(spec.code.threads, spec.code.scratchBytes) {
    for (const auto *tensors : {&spec.operands, &spec.results})
      for (const TensorDesc &tensor : *tensors)
        bufferBytes.push_back(tensor.spanBytes());
    for (const IndexCheck &check : checks)
      for (const int64_t size : check.sizes)
        flags.push_back(
            {std::string(check.op),
             {size,
              isUnsigned(
                  spec.operands[static_cast<size_t>(check.operand)].type),
              check.ignored}});
    isSet.resize(flags.size() + 1);
  }

  size_t workspaceBytes() const override { return 0; }
  bool isSerial() const override { return true; }
  std::string implementation() const override { return "emulated"; }

  Status run(const KernelArgs &args) override {
    for (void *buffer : std::span(args.buffers, bufferBytes.size()))
      if (reinterpret_cast<uintptr_t>(buffer) % artifact::gpuBufferAlignment)
        return internalError("a buffer is not aligned");
    const Contents before = save(args);
    WEIR_RETURN_IF_ERROR(runBlocks(args, ThreadOrder::Descending));
    const Contents descending = save(args);
    for (size_t i = 0; i < before.size(); ++i)
      std::memcpy(args.buffers[i], before[i].data(), before[i].size());
    WEIR_RETURN_IF_ERROR(runBlocks(args, ThreadOrder::Ascending));
    if (save(args) != descending)
      return internalError("the result depends on the order in which the "
                           "threads of a block run; a barrier is missing");
    for (size_t i = 0; i < flags.size(); ++i)
      if (std::exchange(isSet[i], 0))
        return indexOutOfRange(flags[i].range.ignored ? "a label" : "an index",
                               flags[i].op, flags[i].range);
    return Status::ok();
  }

private:
  using Contents = std::vector<std::vector<std::byte>>;
  /// What a flag says of its dim.
  struct Flag {
    std::string op;
    IndexRange range;
  };

  Contents save(const KernelArgs &args) const {
    Contents contents;
    for (size_t i = 0; i < bufferBytes.size(); ++i) {
      const auto *bytes = static_cast<const std::byte *>(args.buffers[i]);
      contents.emplace_back(bytes, bytes + bufferBytes[i]);
    }
    return contents;
  }

  Status runBlocks(const KernelArgs &args, ThreadOrder order) {
    std::vector<void *> buffers(args.buffers,
                                args.buffers + bufferBytes.size());
    buffers.push_back(isSet.data());
    for (uint64_t number = 0; number < blocks; ++number)
      WEIR_RETURN_IF_ERROR(block.run(function, buffers.data(), number, order));
    return Status::ok();
  }

  EmulatedImage image;
  WeirKernelFunction function;
  std::vector<size_t> bufferBytes;
  std::vector<Flag> flags;
  std::vector<int32_t> isSet;
  uint64_t blocks;
  EmulatedBlock block;
};
} // namespace

static StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                                 PrepareContext &context) {
  WEIR_ASSIGN_OR_RETURN(const auto blob, context.codeBlob(spec.code));
  WEIR_ASSIGN_OR_RETURN(EmulatedImage image, EmulatedImage::load(blob));
  WEIR_ASSIGN_OR_RETURN(const WeirKernelFunction function,
                        image.find(spec.code.function));
  WEIR_ASSIGN_OR_RETURN(const auto checks, parseIndexChecks(spec.attrs));
  return std::unique_ptr<Kernel>(std::make_unique<EmulatedKernel>(
      std::move(image), function, spec, checks));
}

static std::span<const KernelTableEntry> listKernels() {
  static constexpr KernelTableEntry kernels[] = {{"generated", prepare}};
  return kernels;
}

namespace {
/// Devices like CPU devices of one thread, with other kernels.
class EmulatorDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "emu"; }
  std::vector<DeviceInfo> detect() const override {
    std::vector<DeviceInfo> devices = workers->detect();
    for (DeviceInfo &device : devices)
      device.threads = 1;
    return devices;
  }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest> requests) const override {
    return workers->canOpen(requests);
  }
  bool usesCores() const override { return false; }
  std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const override {
    std::vector<DeviceRequest> resolved(requests.begin(), requests.end());
    for (DeviceRequest &request : resolved) {
      request.threads = 1;
      request.mayPin = false;
    }
    return resolved;
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    return workers->open(resolve(requests));
  }

private:
  std::unique_ptr<DeviceDriver> workers = makeCpuDriver("emu", listKernels());
};
} // namespace

static DevicePlugin makePlugin() {
  static const EmulatorDriver driver;
  DevicePlugin plugin;
  plugin.kind.name = "emu";
  plugin.kind.kernels = "emu";
  plugin.kind.kernelTable = listKernels;
  plugin.kind.codeGenerator = emulatedGpuCodeGenerator;
  plugin.kind.hasOwnMemory = true;
  plugin.kind.rates.flopsPerSecond.fill(1e9);
  plugin.kind.rates.bytesPerSecond = 1e9;
  plugin.kind.rates.launchSeconds = 1e-6;
  plugin.kind.link = {1e9, 1e-6};
  plugin.driver = &driver;
  return plugin;
}

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t) {
  static const DevicePlugin plugin = makePlugin();
  return &plugin;
}
