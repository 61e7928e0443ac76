//===- VariantKernels.cpp - The distinct kernels of a variant --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariantKernels.h"

#include "weir/Artifact/Convert.h"
#include "weir/Artifact/GpuCode.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

using namespace mlir;
using namespace weir;

static std::unique_ptr<artifact::PostOpT> toPostOp(PostOpAttr attr) {
  auto postOp = std::make_unique<artifact::PostOpT>();
  postOp->algorithm = attr.getAlgorithm().str();
  postOp->alpha = attr.getAlpha().getValueAsDouble();
  postOp->beta = attr.getBeta().getValueAsDouble();
  postOp->operand = static_cast<int32_t>(attr.getOperand());
  return postOp;
}

/// Checks a launch of a generated kernel. The code of the kernel must support
/// that these results of `launch` overwrite operands.
static LogicalResult checkOverwrites(exec::LaunchOp launch,
                                     const CompiledKernel &compiled) {
  for (auto [result, operand] : llvm::enumerate(launch.getOverwrites()))
    if (auto number = static_cast<size_t>(operand);
        operand >= 0 &&
        (number >= compiled.overwrittenBy.size() ||
         compiled.overwrittenBy[number] != static_cast<int64_t>(result)))
      return launch.emitOpError("overwrites operand ")
             << operand << " with result " << result
             << "; expected a kernel function that states it in "
                "'weir.overwritten_by'";
  return success();
}

/// Refuses a launch of a library kernel that overwrites operands. Such a kernel
/// reads operands after it has begun to write results.
static LogicalResult checkLibraryKernel(exec::LaunchOp launch) {
  for (int32_t operand : launch.getOverwrites())
    if (operand >= 0)
      return launch.emitOpError("overwrites operand ")
             << operand << " by kernel '" << launch.getKernel()
             << "'; only generated kernels can do that, so write the result "
                "elsewhere";
  return success();
}

/// Stores in `kernel` where the code of a generated kernel is.
static LogicalResult addCode(exec::LaunchOp launch, const KernelCode &code,
                             artifact::KernelT &kernel) {
  auto name = launch.getConfig().getAs<StringAttr>(attrs::function);
  auto found = name ? code.find(name.getValue()) : code.end();
  if (found == code.end())
    return launch.emitOpError("has no code; run convert-clusters-to-loops for "
                              "a target CPU first");
  const CompiledKernel &compiled = found->second.kernel;
  kernel.code = static_cast<int32_t>(found->second.blob);
  kernel.function = compiled.number;
  kernel.tasks = compiled.tasks;
  kernel.grain = compiled.grain;
  kernel.scratch = compiled.scratchBytes;
  kernel.threads = compiled.threads;
  return checkOverwrites(launch, compiled);
}

FailureOr<std::unique_ptr<artifact::KernelT>>
VariantKernels::toKernel(exec::LaunchOp launch) const {
  auto kernel = std::make_unique<artifact::KernelT>();
  kernel->name = launch.getKernel().str();
  kernel->flops = static_cast<uint64_t>(launch.getFlops());
  NamedAttrList config(launch.getConfig());
  if (launch.getKernel() == generatedKernel) {
    if (failed(addCode(launch, code, *kernel)))
      return failure();
    config.erase(attrs::function);
  } else if (failed(checkLibraryKernel(launch))) {
    return failure();
  }
  kernel->attributes = artifact::fromAttrMap(
      toAttrMap(config.getDictionary(launch.getContext())));
  for (unsigned i = 0; i < launch.getNumViews(); ++i) {
    auto &types =
        i < launch.getReads().size() ? kernel->operands : kernel->results;
    types.push_back(
        artifact::fromTensorDesc(exec::describeView(launch.getView(i).type)));
  }
  for (auto postOp : launch.getPostOps().getAsRange<PostOpAttr>())
    kernel->post_ops.push_back(toPostOp(postOp));
  kernel->overwrites.assign(launch.getOverwrites().begin(),
                            launch.getOverwrites().end());
  return kernel;
}

uint32_t VariantKernels::intern(std::unique_ptr<artifact::KernelT> kernel) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(artifact::Kernel::Pack(builder, kernel.get()));
  std::string bytes(reinterpret_cast<const char *>(builder.GetBufferPointer()),
                    builder.GetSize());
  auto [known, isNew] = byBytes.try_emplace(
      std::move(bytes), static_cast<uint32_t>(kernels.size()));
  if (isNew)
    kernels.push_back(std::move(kernel));
  return known->second;
}

/// Checks the alignment of the buffers of a launch on a GPU.
static LogicalResult checkAlignment(exec::LaunchOp launch) {
  constexpr auto alignment = static_cast<int64_t>(artifact::gpuBufferAlignment);
  for (unsigned i = 0; i < launch.getNumViews(); ++i) {
    const exec::View view = launch.getView(i);
    SmallVector<int64_t> moves(view.step);
    moves.push_back(view.byteOffset);
    for (int64_t bytes : moves)
      if (bytes % alignment != 0)
        return launch.emitOpError("has a buffer that begins, or moves by, ")
               << bytes << " bytes; kernels for GPUs need multiples of "
               << alignment << ", so place it on a CPU device";
  }
  return success();
}

bool VariantKernels::isForGpu(exec::LaunchOp launch) const {
  auto name = launch.getConfig().getAs<StringAttr>(attrs::function);
  auto found = name ? code.find(name.getValue()) : code.end();
  return found != code.end() && found->second.kernel.threads > 0;
}

FailureOr<uint32_t> VariantKernels::get(exec::LaunchOp launch) {
  if (isForGpu(launch) && failed(checkAlignment(launch)))
    return failure();
  Builder builder(launch.getContext());
  auto numReads = static_cast<int64_t>(launch.getReads().size());
  Attribute key = builder.getArrayAttr(
      {launch.getKernelAttr(), launch.getConfigAttr(), launch.getPostOpsAttr(),
       launch.getTypesAttr(), builder.getI64IntegerAttr(numReads),
       builder.getI64IntegerAttr(static_cast<int64_t>(launch.getFlops())),
       builder.getDenseI32ArrayAttr(launch.getOverwrites())});
  auto [known, isNew] = byAttributes.try_emplace(key, 0);
  if (!isNew)
    return known->second;
  auto kernel = toKernel(launch);
  if (failed(kernel))
    return failure();
  known->second = intern(*std::move(kernel));
  return known->second;
}
