//===- ClusterRun.cpp - Runs the code of a cluster --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterRun.h"

#include "Faults.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

namespace {
/// The buffers of one run.
class ClusterRun {
public:
  explicit ClusterRun(const BufferPlaces &places) : places(places) {}

  Status prepare(func::FuncOp cluster, const LoweredCluster &lowered,
                 ArrayRef<HostTensor> given);
  Status launch(const KernelFunction &kernel, const CompiledKernel &compiled,
                RunKernelFn runKernel);
  Status checkGuards() const;
  std::vector<GuardedBytes> takeResults();

private:
  using Buffers = std::vector<GuardedBytes>;

  Status add(Buffers &buffers, Type type) const;
  Status protectOperands();
  std::byte *at(const ClusterBuffer &buffer);
  void placeResults(const KernelFunction &kernel);
  auto list() const {
    return std::array{std::pair{"an operand", &operands},
                      std::pair{"a result", &results},
                      std::pair{"a temporary", &temporaries}};
  }
  Status describe(const Fault &fault) const;

  BufferPlaces places;
  Buffers operands, results, temporaries;
  /// The operand that each result has overwritten, or -1.
  std::vector<int64_t> placeOf;
};
} // namespace

Status ClusterRun::add(Buffers &buffers, Type type) const {
  const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(type));
  const size_t element = byteSize(desc.type);
  WEIR_ASSIGN_OR_RETURN(
      GuardedBytes bytes,
      GuardedBytes::make(static_cast<size_t>(desc.numElements()) * element,
                         std::max(element, places.alignment), places.place));
  buffers.push_back(std::move(bytes));
  return Status::ok();
}

Status ClusterRun::prepare(func::FuncOp cluster, const LoweredCluster &lowered,
                           ArrayRef<HostTensor> given) {
  for (auto [type, tensor] : llvm::zip(cluster.getArgumentTypes(), given)) {
    WEIR_RETURN_IF_ERROR(add(operands, type));
    std::memcpy(operands.back().data(), tensor.data(), operands.back().size());
  }
  for (Type type : cluster.getResultTypes())
    WEIR_RETURN_IF_ERROR(add(results, type));
  for (RankedTensorType type : lowered.temporaries)
    WEIR_RETURN_IF_ERROR(add(temporaries, type));
  placeOf.assign(results.size(), -1);
  if (places.isInPlace)
    placeResults(lowered.functions.back());
  return protectOperands();
}

Status ClusterRun::protectOperands() {
  for (auto [number, operand] : llvm::enumerate(operands))
    if (!llvm::is_contained(placeOf, static_cast<int64_t>(number)))
      WEIR_RETURN_IF_ERROR(operand.protect());
  return Status::ok();
}

/// Puts results in the place of operands that they may overwrite. Only the last
/// function of a cluster may overwrite operands, because a later function might
/// still read them.
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
  Status status;
  const std::optional<Fault> fault =
      findFault([&] { status = runKernel(compiled, buffers.data()); });
  return fault ? describe(*fault) : status;
}

/// An error that says which memory `fault` concerns.
Status ClusterRun::describe(const Fault &fault) const {
  for (auto [what, buffers] : list())
    for (const GuardedBytes &bytes : *buffers)
      if (bytes.isNear(fault.address))
        return internalError(fmt::format("the code {} {}",
                                         bytes.contains(fault.address)
                                             ? "writes to"
                                             : "accesses memory beside",
                                         what));
  return internalError(fmt::format(
      "the code ends by a signal ({}), for an address that is not near an "
      "operand, a result or a temporary; it may be near the scratch memory",
      strsignal(fault.signal)));
}

Status ClusterRun::checkGuards() const {
  for (auto [what, buffers] : list())
    for (const GuardedBytes &bytes : *buffers)
      if (!bytes.isIntact())
        return internalError(fmt::format("the code writes beside {}", what));
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
  ClusterRun run(places);
  WEIR_RETURN_IF_ERROR(run.prepare(cluster, lowered, operands));
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
  // Scratch is aligned and has arbitrary contents, as on a device.
  constexpr size_t alignment = 64;
  WEIR_ASSIGN_OR_RETURN(
      GuardedBytes scratch,
      GuardedBytes::make(kernel.scratchBytes, alignment, Place::Back));
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
