//===- CudnnKernels.cpp - The kernels of cuDNN ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Pools, norms and softmax are generated: they move bytes and compute little,
// generated code fuses more into them, and cuDNN's pools in bf16 are wrong
// (docs/cuda-measurements.md).
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"

#include "../CuBLAS/LtBias.h"
#include "../StreamKernel.h"
#include "CudnnAttention.h"
#include "CudnnConvolution.h"
#include "CudnnLibrary.h"
#include "CudnnPlan.h"
#include "CudnnPostOps.h"
#include "weir/Artifact/GpuCode.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

using namespace weir;

namespace {

constexpr int weightsOperand = 1, biasOperand = 2;

/// Operands that a kernel does not read as they are.
struct PreparedOperands {
  /// Null: they are read where they are.
  const void *weights = nullptr;
  std::optional<LtBias> bias = std::nullopt;
};

class CudnnKernel final : public StreamKernel {
public:
  CudnnKernel(std::shared_ptr<CudnnDevice> device,
              std::unique_ptr<CudnnPlan> plan, size_t numBuffers,
              PreparedOperands operands)
      : device(std::move(device)), plan(std::move(plan)),
        operands(std::move(operands)), bufferCount(numBuffers) {}
  ~CudnnKernel() override {
    // A plan unloads what it has loaded into the context.
    const CudaContext::Use use(device->context());
    plan.reset();
  }

  Status enqueue(const KernelArgs &args, CUstream stream) override;
  size_t numBuffers() const override { return bufferCount; }
  size_t workspaceBytes() const override {
    return operands.bias ? biasOffset() + operands.bias->workspaceBytes()
                         : plan->workspaceBytes();
  }
  std::string implementation() const override {
    return "cudnn:" + plan->engine();
  }

private:
  /// Where a rounded bias begins in the workspace.
  size_t biasOffset() const {
    return alignTo(plan->workspaceBytes(), artifact::gpuBufferAlignment);
  }

  std::shared_ptr<CudnnDevice> device;
  std::unique_ptr<CudnnPlan> plan;
  PreparedOperands operands;
  size_t bufferCount;
};

Status CudnnKernel::enqueue(const KernelArgs &args, CUstream stream) {
  // Several streams may launch the kernel at the same time.
  std::array<void *, mostCudnnTensors> buffers;
  std::copy_n(args.buffers, bufferCount, buffers.begin());
  if (operands.weights)
    buffers[weightsOperand] = const_cast<void *>(operands.weights);
  if (operands.bias) {
    WEIR_ASSIGN_OR_RETURN(
        const void *bias,
        operands.bias->enqueue(
            buffers[biasOperand],
            static_cast<std::byte *>(args.workspace) + biasOffset(), stream));
    buffers[biasOperand] = const_cast<void *>(bias);
  }
  uintptr_t bits = 0;
  for (size_t i = 0; i < bufferCount; ++i)
    bits |= reinterpret_cast<uintptr_t>(buffers[i]);
  // cuDNN's kernels would fail on the GPU, which would be lost.
  if (bits % artifact::gpuBufferAlignment != 0)
    return invalidArgument(
        fmt::format("expected buffers at multiples of {} bytes",
                    artifact::gpuBufferAlignment));
  WEIR_ASSIGN_OR_RETURN(cudnnHandle_t handle, device->handleFor(stream));
  return plan->execute(handle, buffers.data(), args.workspace);
}

/// Writes weights whose channels are last in memory from row-major ones.
template <typename Element>
void moveChannels(const TensorDesc &weights, const void *from, void *to) {
  const auto outer = static_cast<size_t>(weights.dims[0]);
  const auto channels = static_cast<size_t>(weights.dims[1]);
  const size_t cells =
      static_cast<size_t>(weights.numElements()) / (outer * channels);
  const auto *source = static_cast<const Element *>(from);
  auto *target = static_cast<Element *>(to);
  for (size_t o = 0; o < outer; ++o)
    for (size_t cell = 0; cell < cells; ++cell)
      for (size_t c = 0; c < channels; ++c)
        *target++ = source[(o * channels + c) * cells + cell];
}

/// Packed weights, or null if the kernel reads them as they are.
StatusOr<const void *> packWeights(const TensorDesc &weights,
                                   PrepareContext &context) {
  if (isChannelsLast(weights) || !context.isConstant(weightsOperand))
    return static_cast<const void *>(nullptr);
  const size_t bytes = weights.spanBytes();
  const auto pack = [&](ConstantReader &from, void *to) -> Status {
    WEIR_ASSIGN_OR_RETURN(const void *source, from.read(0, bytes));
    if (weights.type == DType::F32)
      moveChannels<uint32_t>(weights, source, to);
    else
      moveChannels<uint16_t>(weights, source, to);
    return Status::ok();
  };
  return context.packedOperand(
      weightsOperand, "channels last of " + weights.toString(), bytes, pack);
}

/// Ok, or why cuDNN has no engine for the weights as a run computes them.
Status checkComputedWeights(const CudnnGraph &graph,
                            const TensorDesc &weights) {
  if (graph.nodes.front().op == CudnnOp::Conv || graph.nodes.size() == 1 ||
      isChannelsLast(weights))
    return Status::ok();
  return unavailable(
      "cuDNN takes weights that are no constants only without a bias, "
      "post-ops and a result of another type; exclude the kernel "
      "conv_transpose in a topology file and compile the model again");
}

/// A bias that cuDNN wants in another type, if there is one.
StatusOr<std::optional<LtBias>> prepareBias(const CudnnGraph &graph,
                                            const KernelSpec &spec,
                                            CudaPrepareContext &context) {
  // The buffer with that number is the result if there is no bias.
  if (spec.operands.size() <= biasOperand)
    return std::optional<LtBias>();
  for (const CudnnTensor &tensor : graph.tensors) {
    if (tensor.buffer != biasOperand ||
        tensor.desc.type == spec.operands[biasOperand].type)
      continue;
    WEIR_ASSIGN_OR_RETURN(
        LtBias bias, LtBias::prepare(biasOperand, spec.operands[biasOperand],
                                     tensor.desc.type, context));
    return std::optional<LtBias>(std::move(bias));
  }
  return std::optional<LtBias>();
}

/// The kernel that computes `graph`.
StatusOr<std::unique_ptr<Kernel>> build(const CudnnGraph &graph,
                                        const KernelSpec &spec,
                                        std::shared_ptr<CudnnDevice> device,
                                        PreparedOperands operands) {
  const CudnnDevice::Building building(*device);
  const CudaContext::Use use(device->context());
  WEIR_RETURN_IF_ERROR(use.status());
  WEIR_ASSIGN_OR_RETURN(
      std::unique_ptr<CudnnPlan> plan,
      CudnnPlan::build(graph, {.handle = building.handle,
                               .arch = device->context().arch(),
                               .name = device->gpuName(),
                               .store = building.store}));
  return std::unique_ptr<Kernel>(std::make_unique<CudnnKernel>(
      std::move(device), std::move(plan),
      spec.operands.size() + spec.results.size(), std::move(operands)));
}

StatusOr<std::unique_ptr<Kernel>> prepareAttention(const KernelSpec &spec,
                                                   PrepareContext &outside) {
  WEIR_ASSIGN_OR_RETURN(const CudnnGraph graph, describeAttention(spec));
  auto &context = static_cast<CudaPrepareContext &>(outside);
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudnnDevice> device,
                        CudnnDevice::of(context.context));
  return build(graph, spec, std::move(device), {});
}

StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                          PrepareContext &outside) {
  WEIR_ASSIGN_OR_RETURN(CudnnGraph graph, describeForCudnn(spec));
  auto &context = static_cast<CudaPrepareContext &>(outside);
  const TensorDesc &weights = spec.operands[weightsOperand];
  if (!context.isConstant(weightsOperand))
    WEIR_RETURN_IF_ERROR(checkComputedWeights(graph, weights));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudnnDevice> device,
                        CudnnDevice::of(context.context));
  PreparedOperands operands;
  WEIR_ASSIGN_OR_RETURN(operands.weights, packWeights(weights, context));
  WEIR_ASSIGN_OR_RETURN(operands.bias, prepareBias(graph, spec, context));
  graph.allowsTF32 = context.options.allowsTF32;
  // What a run computes lies as the compiler says.
  if (!operands.weights)
    graph.tensors[weightsOperand].desc = withTwoSpatialDims(weights);
  return build(graph, spec, std::move(device), std::move(operands));
}

Status check(const KernelSpec &spec) { return describeForCudnn(spec).status(); }

} // namespace

StatusOr<CudnnGraph> weir::describeForCudnn(const KernelSpec &spec) {
  if (spec.name == "attention")
    return describeAttention(spec);
  return spec.name == "conv" ? describeConv(spec) : describeConvTranspose(spec);
}

std::span<const OpKernelRow> weir::cudnnRows() {
  static const std::vector<std::string> types = {"f32", "bf16", "f16"};
  static const std::vector<std::string> narrow = {"bf16", "f16"};
  static const OpKernelRow rows[] = {
      {"attention", {"cuda", "attention", narrow, {}, false}},
      {"conv", {"cuda", "conv", types, {}, true}},
      {"conv_transpose", {"cuda", "conv_transpose", types, {}, true}},
  };
  return rows;
}

std::span<const KernelTableEntry> weir::cudnnKernels() {
  static constexpr KernelTableEntry kernels[] = {
      {"attention", prepareAttention, check},
      {"conv", prepare, check},
      {"conv_transpose", prepare, check}};
  return kernels;
}
