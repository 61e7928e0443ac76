//===- StreamKernel.cpp - Kernels that a stream runs ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

#include "CuBLAS/LtKernel.h"
#include "CuDNN/CudnnKernels.h"

#include <algorithm>
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

class GeneratedKernel final : public StreamKernel {
public:
  GeneratedKernel(std::shared_ptr<CudaModule> module, CUkernel kernel,
                  const GeneratedCode &code, size_t numBuffers)
      : module(std::move(module)), kernel(kernel),
        numBlocks(static_cast<unsigned>(code.tasks)), numThreads(code.threads),
        sharedBytes(static_cast<unsigned>(code.scratchBytes)),
        parameters(numBuffers) {}

  Status enqueue(const KernelArgs &args, CUstream stream) override {
    // Without elements there is nothing to launch.
    if (numBlocks == 0)
      return Status::ok();
    // Parameters are the addresses of addresses.
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i] = const_cast<void **>(&args.buffers[i]);
    CudaContext &context = module->context();
    return context.check(context.api.cuLaunchKernel(
                             reinterpret_cast<CUfunction>(kernel), numBlocks, 1,
                             1, numThreads, 1, 1, sharedBytes, stream,
                             parameters.data(), nullptr),
                         "cuLaunchKernel");
  }

  size_t numBuffers() const override { return parameters.size(); }
  std::string implementation() const override { return "generated"; }

private:
  std::shared_ptr<CudaModule> module;
  CUkernel kernel;
  unsigned numBlocks;
  unsigned numThreads;
  unsigned sharedBytes;
  /// Used by `enqueue`.
  std::vector<void *> parameters;
};

/// Why a GPU cannot launch `code`, or ok.
Status checkLaunch(const GeneratedCode &code) {
  constexpr uint64_t mostBlocks = INT32_MAX, mostShared = uint64_t(1) << 20;
  if (code.threads == 0)
    return invalidArgument("its code is for the CPU, and the device is a GPU; "
                           "compile the model again");
  if (code.tasks > mostBlocks)
    return invalidArgument(
        fmt::format("it has {} blocks of threads; expected at most {}",
                    code.tasks, mostBlocks));
  if (code.scratchBytes > mostShared)
    return invalidArgument(
        fmt::format("its blocks need {} bytes of shared memory; expected at "
                    "most {}",
                    code.scratchBytes, mostShared));
  return Status::ok();
}

Status checkGenerated(const KernelSpec &spec) {
  // The compiler asks before it generates the code.
  return spec.code.blob < 0 ? Status::ok() : checkLaunch(spec.code);
}

/// Lets blocks of `kernel` have more shared memory than every GPU has.
Status allowShared(CudaContext &context, CUkernel kernel, uint64_t bytes) {
  constexpr uint64_t always = 48 << 10;
  if (bytes <= always)
    return Status::ok();
  return context
      .check(context.api.cuKernelSetAttribute(
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                 static_cast<int>(bytes), kernel, context.device()),
             "cuKernelSetAttribute")
      .withContext(fmt::format("it needs {} bytes of shared memory", bytes));
}

StatusOr<std::unique_ptr<Kernel>> prepareGenerated(const KernelSpec &spec,
                                                   PrepareContext &context) {
  WEIR_RETURN_IF_ERROR(checkLaunch(spec.code));
  auto &own = static_cast<CudaPrepareContext &>(context);
  const size_t numBuffers = spec.operands.size() + spec.results.size();
  WEIR_ASSIGN_OR_RETURN(const std::span<const std::byte> blob,
                        own.codeBlob(spec.code));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudaModule> module,
                        own.modules.get(own.context, blob));
  WEIR_ASSIGN_OR_RETURN(CUkernel kernel,
                        module->find(spec.code.function, numBuffers));
  WEIR_RETURN_IF_ERROR(
      allowShared(*own.context, kernel, spec.code.scratchBytes));
  return std::unique_ptr<Kernel>(std::make_unique<GeneratedKernel>(
      std::move(module), kernel, spec.code, numBuffers));
}

} // namespace

/// What is in all of `lists`.
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
  static const std::vector<KernelTableEntry> kernels = [] {
    auto all =
        joined<KernelTableEntry>({generated, cudnnKernels(), ltKernels()});
    std::ranges::sort(all, {}, &KernelTableEntry::name);
    return all;
  }();
  return kernels;
}

std::span<const OpKernelRow> weir::cudaRows() {
  static const std::vector<OpKernelRow> rows =
      joined<OpKernelRow>({cudnnRows(), ltRows()});
  return rows;
}
