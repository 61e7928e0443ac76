//===- LtKernel.cpp - The kernels linear and matmul of GPUs --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtKernel.h"

#include "LtBias.h"
#include "LtTuning.h"
#include "LtWeights.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Support/Alignment.h"

#include <mutex>

using namespace weir;

namespace {

class LtKernel final : public StreamKernel {
public:
  LtKernel(std::unique_ptr<LtCall> call, ChosenAlgorithm chosen, LtBias bias,
           const void *weights)
      : call(std::move(call)), chosen(std::move(chosen)), bias(std::move(bias)),
        weights(weights) {}

  Status enqueue(const KernelArgs &args, CUstream stream) override;
  size_t numBuffers() const override { return call->product.dBuffer + 1; }
  size_t workspaceBytes() const override {
    return biasOffset() + bias.workspaceBytes();
  }
  std::string implementation() const override {
    return weights ? "cuBLASLt, padded weights" : "cuBLASLt";
  }
  std::string tuning() const override { return chosen.tuning; }

private:
  /// The offset of a rounded bias in the workspace.
  size_t biasOffset() const {
    return alignTo(chosen.algorithm.workspaceSize,
                   artifact::gpuBufferAlignment);
  }

  const std::unique_ptr<LtCall> call;
  const ChosenAlgorithm chosen;
  const LtBias bias;
  /// The address of A if A is not in its buffer, else null.
  const void *const weights;
  /// Guards the address of the bias in `call`, because queues share kernels.
  std::mutex mutex;
};

} // namespace

Status LtKernel::enqueue(const KernelArgs &args, CUstream stream) {
  const std::lock_guard lock(mutex);
  LtCall::Places places{args.buffers, weights, nullptr, args.workspace};
  if (const auto operand = call->product.bias) {
    WEIR_ASSIGN_OR_RETURN(
        places.bias,
        bias.enqueue(args.buffers[*operand],
                     static_cast<std::byte *>(args.workspace) + biasOffset(),
                     stream));
  }
  return call->enqueue(places, chosen.algorithm, stream);
}

static StatusOr<std::unique_ptr<Kernel>>
prepare(LtProduct product, const KernelSpec &spec, PrepareContext &context) {
  auto &own = static_cast<CudaPrepareContext &>(context);
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<LtDevice> device,
                        LtDevice::of(own.context));
  LtBias bias;
  if (product.bias) {
    WEIR_ASSIGN_OR_RETURN(bias, LtBias::prepare(static_cast<int>(*product.bias),
                                                spec.operands[*product.bias],
                                                product.d.type, own));
  }
  WEIR_ASSIGN_OR_RETURN(const void *weights, padWeights(product, own));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<LtCall> call,
                        LtCall::create(std::move(device), std::move(product),
                                       own.options.allowsTF32));
  WEIR_ASSIGN_OR_RETURN(ChosenAlgorithm chosen,
                        chooseAlgorithm(*call, spec, own));
  return std::unique_ptr<Kernel>(std::make_unique<LtKernel>(
      std::move(call), std::move(chosen), std::move(bias), weights));
}

template <StatusOr<LtProduct> (*describe)(const KernelSpec &)>
static constexpr KernelTableEntry entry(std::string_view name) {
  return {name,
          [](const KernelSpec &spec,
             PrepareContext &context) -> StatusOr<std::unique_ptr<Kernel>> {
            WEIR_ASSIGN_OR_RETURN(LtProduct product, describe(spec));
            return prepare(std::move(product), spec, context);
          },
          [](const KernelSpec &spec) { return describe(spec).status(); }};
}

std::span<const OpKernelRow> weir::ltRows() {
  static const std::vector<std::string> types = {"f32", "bf16", "f16"};
  static const OpKernelRow rows[] = {
      {"linear", {"cuda", "linear", types, {}, true}},
      {"matmul", {"cuda", "matmul", types, {}, true}},
  };
  return rows;
}

std::span<const KernelTableEntry> weir::ltKernels() {
  static constexpr KernelTableEntry kernels[] = {
      entry<describeLinear>("linear"),
      entry<describeMatmul>("matmul"),
  };
  return kernels;
}
