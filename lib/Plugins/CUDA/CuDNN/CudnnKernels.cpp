//===- CudnnKernels.cpp - The kernels of cuDNN ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Code for pools, norms, softmax and their gradients is generated. These ops
// move bytes and compute little, and generated code fuses more ops into them.
// Besides, cuDNN's pools in bf16 are wrong (docs/cuda-measurements/cudnn.md).
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
#include "CudnnTuning.h"
#include "CudnnWeights.h"
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

/// The operands that a kernel changes before cuDNN reads them.
struct PreparedOperands {
  std::optional<CudnnWeights> weights = std::nullopt;
  std::optional<LtBias> bias = std::nullopt;
};

class CudnnKernel final : public StreamKernel {
public:
  CudnnKernel(std::shared_ptr<CudnnDevice> device, ChosenPlan chosen,
              size_t numBuffers, PreparedOperands operands)
      : device(std::move(device)), plan(std::move(chosen.plan)),
        tuned(std::move(chosen.tuning)), operands(std::move(operands)),
        bufferCount(numBuffers) {}
  ~CudnnKernel() override {
    // The plan unloads its code from the context, which must be the current
    // one.
    const CudaContext::Use use(device->context());
    plan.reset();
  }

  Status enqueue(const KernelArgs &args, CUstream stream) override;
  size_t numBuffers() const override { return bufferCount; }
  size_t workspaceBytes() const override {
    return operands.bias ? biasOffset() + operands.bias->workspaceBytes()
                         : biasOffset();
  }
  std::string implementation() const override {
    return "cudnn:" + plan->engine();
  }
  std::string tuning() const override { return tuned; }

private:
  /// The offsets of weights and bias in the workspace. They follow the part
  /// that the plan uses.
  size_t weightsOffset() const {
    return alignTo(plan->workspaceBytes(), artifact::gpuBufferAlignment);
  }
  size_t biasOffset() const {
    return operands.weights
               ? weightsOffset() + alignTo(operands.weights->workspaceBytes(),
                                           artifact::gpuBufferAlignment)
               : weightsOffset();
  }

  std::shared_ptr<CudnnDevice> device;
  std::unique_ptr<CudnnPlan> plan;
  std::string tuned;
  PreparedOperands operands;
  size_t bufferCount;
};

Status CudnnKernel::enqueue(const KernelArgs &args, CUstream stream) {
  // The array is local because several streams may launch the kernel at the
  // same time.
  std::array<void *, mostCudnnTensors> buffers;
  std::copy_n(args.buffers, bufferCount, buffers.begin());
  if (operands.weights) {
    WEIR_ASSIGN_OR_RETURN(
        const void *weights,
        operands.weights->enqueue(buffers[weightsOperand],
                                  static_cast<std::byte *>(args.workspace) +
                                      weightsOffset(),
                                  stream));
    buffers[weightsOperand] = const_cast<void *>(weights);
  }
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
  // At other addresses, cuDNN's kernels would fail, and the GPU would be lost.
  if (bits % artifact::gpuBufferAlignment != 0)
    return invalidArgument(
        fmt::format("expected buffers at multiples of {} bytes",
                    artifact::gpuBufferAlignment));
  WEIR_ASSIGN_OR_RETURN(cudnnHandle_t handle, device->handleFor(stream));
  return plan->execute(handle, buffers.data(), args.workspace);
}

/// Whether cuDNN has an engine only for weights whose channels are last.
bool needsChannelsLast(const CudnnGraph &graph) {
  return graph.nodes.front().op == CudnnOp::ConvGradient &&
         graph.nodes.size() > 1;
}

/// A bias that cuDNN wants in another type, if there is one.
StatusOr<std::optional<LtBias>> prepareBias(const CudnnGraph &graph,
                                            const KernelSpec &spec,
                                            CudaPrepareContext &context) {
  // Without a bias, buffer `biasOperand` is the result.
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
                                        PreparedOperands operands,
                                        const CudaPrepareContext &context) {
  const CudnnDevice::Building building(*device);
  const CudaContext::Use use(device->context());
  WEIR_RETURN_IF_ERROR(use.status());
  const size_t numBuffers = spec.operands.size() + spec.results.size();
  WEIR_ASSIGN_OR_RETURN(ChosenPlan chosen,
                        choosePlan(graph, numBuffers,
                                   {.handle = building.handle,
                                    .arch = device->context().arch(),
                                    .name = device->gpuName(),
                                    .store = building.store},
                                   device->library, context));
  return std::unique_ptr<Kernel>(std::make_unique<CudnnKernel>(
      std::move(device), std::move(chosen), numBuffers, std::move(operands)));
}

/// A kernel that reads all operands as they are.
StatusOr<std::unique_ptr<Kernel>> prepareAlone(const KernelSpec &spec,
                                               PrepareContext &outside) {
  WEIR_ASSIGN_OR_RETURN(CudnnGraph graph, describeForCudnn(spec));
  auto &context = static_cast<CudaPrepareContext &>(outside);
  graph.allowsTF32 = context.options.allowsTF32;
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudnnDevice> device,
                        CudnnDevice::of(context.context));
  return build(graph, spec, std::move(device), {}, context);
}

StatusOr<std::unique_ptr<Kernel>> prepareConv(const KernelSpec &spec,
                                              PrepareContext &outside) {
  WEIR_ASSIGN_OR_RETURN(CudnnGraph graph, describeForCudnn(spec));
  auto &context = static_cast<CudaPrepareContext &>(outside);
  const TensorDesc &weights = spec.operands[weightsOperand];
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudnnDevice> device,
                        CudnnDevice::of(context.context));
  PreparedOperands operands;
  if (!isChannelsLast(weights) &&
      (context.isConstant(weightsOperand) || needsChannelsLast(graph))) {
    WEIR_ASSIGN_OR_RETURN(
        operands.weights,
        CudnnWeights::prepare(weightsOperand, weights, context));
  } else {
    // cuDNN reads the weights as the compiler lays them out.
    graph.tensors[weightsOperand].desc = withTwoSpatialDims(weights);
  }
  WEIR_ASSIGN_OR_RETURN(operands.bias, prepareBias(graph, spec, context));
  graph.allowsTF32 = context.options.allowsTF32;
  return build(graph, spec, std::move(device), std::move(operands), context);
}

Status check(const KernelSpec &spec) { return describeForCudnn(spec).status(); }

} // namespace

StatusOr<CudnnGraph> weir::describeForCudnn(const KernelSpec &spec) {
  if (spec.name == "attention")
    return describeAttention(spec);
  if (spec.name == "conv_weight_gradient")
    return describeConvWeightGradient(spec);
  return spec.name == "conv" ? describeConv(spec) : describeConvTranspose(spec);
}

std::span<const OpKernelRow> weir::cudnnRows() {
  static const std::vector<std::string> types = {"f32", "bf16", "f16"};
  static const std::vector<std::string> narrow = {"bf16", "f16"};
  static const OpKernelRow rows[] = {
      {"attention", {"cuda", "attention", narrow, {}, false}},
      {"conv", {"cuda", "conv", types, {}, true}},
      {"conv_transpose", {"cuda", "conv_transpose", types, {}, true}},
      {"conv_weight_gradient",
       {"cuda", "conv_weight_gradient", types, {}, false}},
  };
  return rows;
}

std::span<const KernelTableEntry> weir::cudnnKernels() {
  static constexpr KernelTableEntry kernels[] = {
      {"attention", prepareAlone, check},
      {"conv", prepareConv, check},
      {"conv_transpose", prepareConv, check},
      {"conv_weight_gradient", prepareAlone, check}};
  return kernels;
}
