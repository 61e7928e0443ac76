//===- ClusterRun.cpp - Runs the code of a cluster --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterRun.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cstring>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// Vectors have at most 64 bytes, so a store beyond a buffer hits a guard.
static constexpr size_t guardBytes = 128;
static constexpr std::byte guard{0xa5};

GuardedBytes::GuardedBytes(size_t size, size_t elementSize, bool isUnaligned)
    : memory(size + 2 * guardBytes + 128, guard), length(size) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data()) + guardBytes;
  begin = guardBytes + (64 - address % 64) % 64;
  if (isUnaligned)
    begin += elementSize;
  // A NaN where nothing is written.
  std::memset(data(), 0xff, size);
}

bool GuardedBytes::isIntact() const {
  auto isGuard = [](std::byte byte) { return byte == guard; };
  const auto first = memory.begin() + static_cast<ptrdiff_t>(begin);
  return std::all_of(memory.begin(), first, isGuard) &&
         std::all_of(first + static_cast<ptrdiff_t>(length), memory.end(),
                     isGuard);
}

namespace {
/// The buffers of one run.
class ClusterRun {
public:
  ClusterRun(func::FuncOp cluster, const LoweredCluster &lowered,
             ArrayRef<HostTensor> given, const BufferPlaces &places);

  Status launch(const KernelFunction &kernel, const CompiledKernel &compiled,
                RunKernelFn runKernel);
  Status checkGuards() const;
  std::vector<GuardedBytes> takeResults();

private:
  GuardedBytes make(Type type) const;
  std::byte *at(const ClusterBuffer &buffer);
  void placeResults(const KernelFunction &kernel);

  BufferPlaces places;
  std::vector<GuardedBytes> operands, results, temporaries;
  /// For each result: the operand whose bytes it has taken, or -1.
  std::vector<int64_t> placeOf;
};
} // namespace

GuardedBytes ClusterRun::make(Type type) const {
  const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(type));
  return GuardedBytes(static_cast<size_t>(desc.numElements()) *
                          byteSize(desc.type),
                      byteSize(desc.type), places.isUnaligned);
}

ClusterRun::ClusterRun(func::FuncOp cluster, const LoweredCluster &lowered,
                       ArrayRef<HostTensor> given, const BufferPlaces &places)
    : places(places), placeOf(cluster.getNumResults(), -1) {
  for (auto [type, tensor] : llvm::zip(cluster.getArgumentTypes(), given)) {
    operands.push_back(make(type));
    std::memcpy(operands.back().data(), tensor.data(), operands.back().size());
  }
  for (Type type : cluster.getResultTypes())
    results.push_back(make(type));
  for (RankedTensorType type : lowered.temporaries)
    temporaries.push_back(make(type));
  if (places.isInPlace)
    placeResults(lowered.functions.back());
}

/// Only the last function may overwrite operands of the cluster: what others
/// overwrite may be read later.
void ClusterRun::placeResults(const KernelFunction &kernel) {
  for (auto [read, number] : llvm::zip(kernel.reads, kernel.overwrittenBy)) {
    if (number < 0 || read.kind != ClusterBuffer::Kind::Operand)
      continue;
    const ClusterBuffer &write = kernel.writes[static_cast<size_t>(number)];
    if (write.kind == ClusterBuffer::Kind::Result && placeOf[write.index] < 0)
      placeOf[write.index] = read.index;
  }
}

std::byte *ClusterRun::at(const ClusterBuffer &buffer) {
  switch (buffer.kind) {
  case ClusterBuffer::Kind::Operand:
    return operands[buffer.index].data();
  case ClusterBuffer::Kind::Result:
    if (placeOf[buffer.index] >= 0)
      return operands[static_cast<size_t>(placeOf[buffer.index])].data();
    return results[buffer.index].data();
  case ClusterBuffer::Kind::Temporary:
    return temporaries[buffer.index].data();
  }
  return nullptr;
}

Status ClusterRun::launch(const KernelFunction &kernel,
                          const CompiledKernel &compiled,
                          RunKernelFn runKernel) {
  std::vector<void *> buffers;
  for (const auto *list : {&kernel.reads, &kernel.writes})
    for (const ClusterBuffer &buffer : *list)
      buffers.push_back(at(buffer));
  return runKernel(compiled, buffers.data());
}

Status ClusterRun::checkGuards() const {
  for (auto [what, list] : {std::pair{"an operand", &operands},
                            {"a result", &results},
                            {"a temporary", &temporaries}})
    for (const GuardedBytes &bytes : *list)
      if (!bytes.isIntact())
        return internalError(std::string("the code writes beside ") + what);
  return Status::ok();
}

std::vector<GuardedBytes> ClusterRun::takeResults() {
  for (auto [result, place] : llvm::zip(results, placeOf))
    if (place >= 0)
      std::memcpy(result.data(), operands[static_cast<size_t>(place)].data(),
                  result.size());
  return std::move(results);
}

StatusOr<std::vector<GuardedBytes>>
kernelcheck::runCluster(func::FuncOp cluster, const LoweredCluster &lowered,
                        const llvm::StringMap<CompiledKernel> &kernels,
                        ArrayRef<HostTensor> operands,
                        const BufferPlaces &places, RunKernelFn runKernel) {
  ClusterRun run(cluster, lowered, operands, places);
  for (const KernelFunction &kernel : lowered.functions) {
    StringRef name = func::FuncOp(kernel.function).getSymName();
    WEIR_RETURN_IF_ERROR(
        run.launch(kernel, kernels.find(name)->second, runKernel));
  }
  WEIR_RETURN_IF_ERROR(run.checkGuards());
  return run.takeResults();
}

Status kernelcheck::runInRanges(const CodeObject &code,
                                const CompiledKernel &kernel,
                                void *const *buffers, unsigned numRanges) {
  // Scratch is aligned and has arbitrary contents, like that of a device.
  GuardedBytes scratch(kernel.scratchBytes, 1, /*isUnaligned=*/false);
  for (unsigned i = numRanges; i-- > 0;) {
    const auto begin = static_cast<int64_t>(kernel.tasks * i / numRanges);
    const auto end = static_cast<int64_t>(kernel.tasks * (i + 1) / numRanges);
    if (begin == end)
      continue;
    WeirKernelArgs args = {buffers, nullptr, begin, end, scratch.data()};
    code.function(kernel.number)(&args);
  }
  if (!scratch.isIntact())
    return internalError("the code writes beside its scratch memory");
  return Status::ok();
}
