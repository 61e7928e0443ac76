//===- LaunchCheck.cpp - Compares library kernels with their ops-*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaunchCheck.h"

#include "../../Runtime/OpenMP/OpenMPLibrary.h"
#include "Faults.h"
#include "RandomOperands.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// The alignment of buffers and workspaces on devices.
static constexpr size_t deviceAlignment = 64;
namespace {
/// A device on which one kernel runs.
class OneKernel final : public PrepareContext {
public:
  OneKernel(ArrayRef<void *> buffers, int threads, bool knowsWeights)
      : buffers(buffers), threads(threads), knowsWeights(knowsWeights) {}

  int numThreads() const override { return threads; }
  bool isConstant(int index) const override {
    return knowsWeights && index > 0;
  }
  StatusOr<const void *> packedOperand(int index, std::string_view,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    WEIR_ASSIGN_OR_RETURN(
        GuardedBytes memory,
        GuardedBytes::make(bytes, deviceAlignment, Place::Back));
    MemoryReader reader(buffers[static_cast<size_t>(index)]);
    WEIR_RETURN_IF_ERROR(pack(reader, memory.data()));
    packed.push_back(std::move(memory));
    return packed.back().data();
  }

private:
  ArrayRef<void *> buffers;
  int threads;
  bool knowsWeights;
  std::vector<GuardedBytes> packed;
};
} // namespace

LaunchCheck::LaunchCheck(func::FuncOp ops, int64_t points)
    : ops(ops), points(points), parts(listParts()), comparison(ops) {}

std::vector<LaunchCheck::Part> LaunchCheck::listParts() const {
  auto launch = func::FuncOp(ops)->getAttrOfType<DictionaryAttr>(attrs::launch);
  Part whole;
  whole.spec = makeSpec(launch.getAs<StringAttr>("kernel"),
                        launch.getAs<DictionaryAttr>("config"),
                        launch.getAs<ArrayAttr>("post_ops"),
                        func::FuncOp(ops).getArgumentTypes(),
                        func::FuncOp(ops).getResultTypes());
  const size_t numOperands = whole.spec.operands.size();
  auto copies = launch.getAs<ArrayAttr>("copies");
  if (copies.empty()) {
    for (size_t i = 0; i < numOperands + whole.spec.results.size(); ++i)
      whole.places.push_back({i, 0});
    return {whole};
  }
  std::vector<Part> found;
  for (auto copy : copies.getAsRange<ElementCopyAttr>()) {
    Part part = whole;
    const auto operand = static_cast<size_t>(copy.getOperand());
    const auto result = static_cast<size_t>(copy.getResult());
    auto cut = [&](const TensorDesc &desc, ArrayRef<int64_t> strides) {
      TensorDesc one = desc;
      one.dims.assign(copy.getDims().asArrayRef().begin(),
                      copy.getDims().asArrayRef().end());
      one.strides.assign(strides.begin(), strides.end());
      return one;
    };
    const TensorDesc &read = whole.spec.operands[operand];
    const TensorDesc &written = whole.spec.results[result];
    part.spec.operands = {cut(read, copy.getFromStrides())};
    part.spec.results = {cut(written, copy.getToStrides())};
    const auto bytesOf = [](const TensorDesc &desc, int64_t offset) {
      return offset * static_cast<int64_t>(byteSize(desc.type));
    };
    part.places = {
        {operand, bytesOf(read, copy.getFromOffset())},
        {numOperands + result, bytesOf(written, copy.getToOffset())}};
    if (!llvm::is_contained(copy.getDims().asArrayRef(), 0))
      found.push_back(std::move(part));
  }
  return found;
}

/// Prepares the kernel of `spec` and runs it.
static Status runKernel(const KernelSpec &spec, ArrayRef<void *> buffers,
                        int threads, bool knowsWeights) {
  const KernelTableEntry *entry = findKernel(cpuKernels(), spec.name);
  if (!entry)
    return internalError(fmt::format("there is no kernel '{}'", spec.name));
  OneKernel device(buffers, threads, knowsWeights);
  auto kernel = entry->prepare(spec, device);
  if (!kernel.isOk()) {
    const std::string context =
        fmt::format("kernel '{}' cannot be prepared", spec.name);
    if (kernel.status().code() == StatusCode::ResourceExhausted)
      return std::move(kernel).status().withContext(context);
    // The kernel can be prepared, because the compiler has already asked for
    // that.
    return internalError(
        fmt::format("{}: {}", context, kernel.status().message()));
  }
  WEIR_ASSIGN_OR_RETURN(GuardedBytes workspace,
                        GuardedBytes::make((*kernel)->workspaceBytes(),
                                           deviceAlignment, Place::Back));
  WEIR_RETURN_IF_ERROR((*kernel)->run({buffers.data(), workspace.data()}));
  if (!workspace.isIntact())
    return internalError("the kernel writes beside its workspace");
  return Status::ok();
}

std::string LaunchCheck::lastWords() const {
  func::FuncOp function = ops;
  std::string place;
  if (auto file = function.getLoc()->findInstanceOf<FileLineColLoc>())
    place = fmt::format("{}:{}:{}: ", file.getFilename().str(), file.getLine(),
                        file.getColumn());
  return fmt::format(
      "{}error: a thread ended by a signal while kernel '{}' was "
      "checked; this is a bug in Weir, please report it\n",
      place, function.getSymName().str());
}

StatusOr<Results> LaunchCheck::runKernels(ArrayRef<HostTensor> operands,
                                          const Setting &setting) const {
  Results reads, writes;
  auto add = [&](Results &list, const TensorDesc &desc) -> Status {
    WEIR_ASSIGN_OR_RETURN(
        GuardedBytes bytes,
        GuardedBytes::make(static_cast<size_t>(desc.numElements()) *
                               byteSize(desc.type),
                           deviceAlignment, Place::Back));
    list.push_back(std::move(bytes));
    return Status::ok();
  };
  for (const HostTensor &operand : operands) {
    WEIR_RETURN_IF_ERROR(add(reads, operand.desc()));
    std::memcpy(reads.back().data(), operand.data(), reads.back().size());
    WEIR_RETURN_IF_ERROR(reads.back().protect());
  }
  for (Type type : func::FuncOp(ops).getResultTypes())
    WEIR_RETURN_IF_ERROR(
        add(writes, toTensorDesc(cast<RankedTensorType>(type))));
  const std::string words = lastWords();
  for (const Part &part : parts) {
    SmallVector<void *> buffers;
    for (const Part::Place &place : part.places) {
      GuardedBytes &bytes = place.buffer < reads.size()
                                ? reads[place.buffer]
                                : writes[place.buffer - reads.size()];
      buffers.push_back(bytes.data() + place.byteOffset);
    }
    Status status;
    std::optional<Fault> fault;
    const bool hasTeam = runWithTeam(setting.threads, [&] {
      fault = findFault(
          [&] {
            status = runKernel(part.spec, buffers, setting.threads,
                               setting.knowsWeights);
          },
          words);
    });
    if (!hasTeam)
      return unavailable(
          fmt::format("OpenMP gives no {} threads to check kernels; unset "
                      "OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS",
                      setting.threads));
    if (fault)
      return internalError(fmt::format("the kernel ends by a signal ({})",
                                       strsignal(fault->signal)));
    WEIR_RETURN_IF_ERROR(status);
  }
  for (const GuardedBytes &bytes : writes)
    if (!bytes.isIntact())
      return internalError("the kernel writes beside a result");
  return writes;
}

Status LaunchCheck::run(int64_t &numCompared) {
  WEIR_RETURN_IF_ERROR(comparison.prepare());
  // The operands have no infinities, NaNs, large numbers or subnormal numbers.
  // For infinities and NaNs, the results depend on the algorithm of a library.
  // For large numbers, the precision depends on the algorithm. A library may
  // treat subnormal numbers as 0.
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> operands,
                        drawOperands(ops, /*seed=*/0, Specials::Modest));
  comparison.setOperands(operands);
  const Setting settings[] = {{/*threads=*/1, /*knowsWeights=*/false},
                              {/*threads=*/2, /*knowsWeights=*/true}};
  std::vector<Results> runs;
  for (const Setting &setting : settings) {
    WEIR_ASSIGN_OR_RETURN(Results results, runKernels(operands, setting));
    runs.push_back(std::move(results));
  }
  constexpr int64_t mostElements = int64_t{1} << 16;
  return comparison.compare(runs, {mostElements, points}, numCompared);
}
