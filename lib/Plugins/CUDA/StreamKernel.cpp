//===- StreamKernel.cpp - Kernels that a stream runs ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

#include "CuBLAS/LtKernel.h"
#include "CuDNN/CudnnKernels.h"
#include "IndexFlags.h"
#include "weir/Artifact/GpuCode.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>
#include <vector>

using namespace weir;

Status StreamKernel::run(const KernelArgs &) {
  return internalError("a kernel of a cuda device was run outside of a queue "
                       "of such a device");
}

namespace {

/// Gives the host copies of an operand that lies in a GPU's memory.
class DownloadingReader final : public ConstantReader {
public:
  DownloadingReader(Device &device, ConstantReader &from)
      : device(device), from(from) {}

  StatusOr<const void *> read(uint64_t offset, uint64_t bytes) override {
    WEIR_ASSIGN_OR_RETURN(const void *there, from.read(offset, bytes));
    copy.resize(bytes);
    WEIR_RETURN_IF_ERROR(device.copyToHost(copy.data(), there, bytes));
    return static_cast<const void *>(copy.data());
  }

private:
  Device &device;
  ConstantReader &from;
  std::vector<std::byte> copy;
};

} // namespace

StatusOr<const void *>
CudaPrepareContext::packedOperand(int index, std::string_view key, size_t bytes,
                                  const PackFunction &pack) {
  const auto packOnHost = [&](ConstantReader &from, void *to) -> Status {
    DownloadingReader reader(device, from);
    std::vector<std::byte> packed(bytes);
    WEIR_RETURN_IF_ERROR(pack(reader, packed.data()));
    return device.copyFromHost(to, packed.data(), bytes);
  };
  return outside.packedOperand(index, key, bytes, packOnHost);
}

namespace {

/// The most buffers of a launch, which is the limit of artifacts. PTX 8.1 has
/// room for twice as many addresses.
constexpr size_t mostBuffers = 2048;

class GeneratedKernel final : public StreamKernel {
public:
  GeneratedKernel(std::shared_ptr<CudaModule> module, CUfunction function,
                  const GeneratedCode &code, size_t numBuffers,
                  std::unique_ptr<IndexFlags> flags)
      : module(std::move(module)), flags(std::move(flags)), function(function),
        numBlocks(static_cast<unsigned>(code.tasks)), numThreads(code.threads),
        sharedBytes(static_cast<unsigned>(code.scratchBytes)),
        bufferCount(numBuffers) {}

  Status enqueue(const KernelArgs &args, CUstream stream) override {
    // Without elements there is nothing to launch.
    if (numBlocks == 0)
      return Status::ok();
    WEIR_RETURN_IF_ERROR(checkAddresses(args));
    // CUDA takes the address of each parameter, and each parameter is the
    // address of a buffer. The array is local because several streams may
    // launch the kernel at the same time.
    std::array<void *, mostBuffers + 1> parameters;
    for (size_t i = 0; i < bufferCount; ++i)
      parameters[i] = const_cast<void **>(&args.buffers[i]);
    void *ownFlags = nullptr;
    if (flags) {
      WEIR_ASSIGN_OR_RETURN(ownFlags, flags->of(args.buffers));
    }
    parameters[bufferCount] = &ownFlags;
    CudaContext &context = module->context();
    return context.check(context.api.cuLaunchKernel(
                             function, numBlocks, 1, 1, numThreads, 1, 1,
                             sharedBytes, stream, parameters.data(), nullptr),
                         "cuLaunchKernel");
  }

  size_t numBuffers() const override { return bufferCount; }
  bool hasOutcome() const override { return flags != nullptr; }
  Status outcome(void *const *buffers) override { return flags->take(buffers); }
  std::string implementation() const override { return "generated"; }

private:
  /// Checks that the buffers are aligned. An access to a buffer that is not
  /// aligned would lose the GPU.
  Status checkAddresses(const KernelArgs &args) const {
    constexpr uintptr_t mask = artifact::gpuBufferAlignment - 1;
    uintptr_t bits = 0;
    for (size_t i = 0; i < bufferCount; ++i)
      bits |= reinterpret_cast<uintptr_t>(args.buffers[i]);
    if ((bits & mask) == 0) [[likely]]
      return Status::ok();
    size_t at = 0;
    while ((reinterpret_cast<uintptr_t>(args.buffers[at]) & mask) == 0)
      ++at;
    return invalidArgument(fmt::format(
        "expected all its buffers at multiples of {} bytes, found "
        "buffer {} at {}; allocate the tensor with the session",
        artifact::gpuBufferAlignment, at, fmt::ptr(args.buffers[at])));
  }

  std::shared_ptr<CudaModule> module;
  /// The flags of wrong indices; null if the kernel reads no indices.
  std::unique_ptr<IndexFlags> flags;
  CUfunction function;
  unsigned numBlocks;
  unsigned numThreads;
  unsigned sharedBytes;
  size_t bufferCount;
};

/// Ok, or why some GPUs cannot launch `code` on `numBuffers` buffers.
Status checkLaunch(const GeneratedCode &code, size_t numBuffers) {
  // sm_86 has the smallest limit of shared memory.
  constexpr uint64_t mostBlocks = INT32_MAX, mostShared = 99 << 10;
  if (code.threads == 0)
    return invalidArgument("its code is for the CPU, and the device is a GPU; "
                           "compile the model again");
  if (code.threads > artifact::maxBlockThreads)
    return invalidArgument(
        fmt::format("its blocks have {} threads; expected at most {}",
                    code.threads, artifact::maxBlockThreads));
  if (code.tasks > mostBlocks)
    return invalidArgument(
        fmt::format("it has {} blocks of threads; expected at most {}",
                    code.tasks, mostBlocks));
  if (code.scratchBytes > mostShared)
    return invalidArgument(
        fmt::format("its blocks need {} bytes of shared memory; expected at "
                    "most {}",
                    code.scratchBytes, mostShared));
  if (numBuffers > mostBuffers)
    return invalidArgument(fmt::format("it has {} buffers; expected at most {}",
                                       numBuffers, mostBuffers));
  return Status::ok();
}

size_t countBuffers(const KernelSpec &spec) {
  return spec.operands.size() + spec.results.size();
}

Status checkGenerated(const KernelSpec &spec) {
  // The compiler calls this before it generates the code.
  return spec.code.blob < 0 ? Status::ok()
                            : checkLaunch(spec.code, countBuffers(spec));
}

StatusOr<std::unique_ptr<Kernel>> prepareGenerated(const KernelSpec &spec,
                                                   PrepareContext &context) {
  const size_t numBuffers = countBuffers(spec);
  WEIR_RETURN_IF_ERROR(checkLaunch(spec.code, numBuffers));
  auto &own = static_cast<CudaPrepareContext &>(context);
  WEIR_ASSIGN_OR_RETURN(const std::span<const std::byte> blob,
                        own.codeBlob(spec.code));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudaModule> module,
                        own.modules.get(own.context, blob));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<IndexFlags> flags,
                        IndexFlags::make(spec, own.context));
  WEIR_ASSIGN_OR_RETURN(
      CUfunction function,
      module->find(spec.code.function, numBuffers + (flags ? 1 : 0),
                   spec.code.threads, spec.code.scratchBytes));
  return std::unique_ptr<Kernel>(std::make_unique<GeneratedKernel>(
      std::move(module), function, spec.code, numBuffers, std::move(flags)));
}

} // namespace

/// The elements of all `lists`.
template <typename Element>
static std::vector<Element>
joined(std::initializer_list<std::span<const Element>> lists) {
  std::vector<Element> all;
  for (std::span<const Element> list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::span<const KernelTableEntry> weir::cudaKernels() {
  static constexpr KernelTableEntry generated[] = {
      {"generated", prepareGenerated, checkGenerated}};
  // Never destroyed, since sessions may be loaded while the process ends.
  static const std::vector<KernelTableEntry> &kernels = []() -> const auto & {
    auto &all = *new auto(
        joined<KernelTableEntry>({generated, cudnnKernels(), ltKernels()}));
    std::ranges::sort(all, {}, &KernelTableEntry::name);
    return all;
  }
  ();
  return kernels;
}

std::span<const OpKernelRow> weir::cudaRows() {
  static const std::vector<OpKernelRow> rows =
      joined<OpKernelRow>({cudnnRows(), ltRows()});
  return rows;
}
