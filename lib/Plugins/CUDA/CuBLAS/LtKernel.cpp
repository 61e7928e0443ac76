//===- LtKernel.cpp - The kernels linear and matmul of GPUs --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtKernel.h"

#include "LtBias.h"
#include "LtLibrary.h"
#include "LtProduct.h"
#include "LtWeights.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Support/Alignment.h"

#include <fmt/format.h>
#include <mutex>
#include <numeric>

using namespace weir;

/// The most workspace that an algorithm may take: sums in f32 that are split
/// took up to 16.5 MB, and products of 16 bits none.
static constexpr uint64_t mostWorkspaceBytes = uint64_t(32) << 20;

static cudaDataType toCuda(DType type) {
  switch (type) {
  case DType::F16:
    return CUDA_R_16F;
  case DType::BF16:
    return CUDA_R_16BF;
  default:
    return CUDA_R_32F;
  }
}

namespace {

/// An object of cuBLASLt, which the function `destroy` ends.
template <typename Object>
using LtOwned = std::unique_ptr<Object, cublasStatus_t (*)(Object *)>;
using LtDesc = LtOwned<cublasLtMatmulDescOpaque_t>;
using LtLayout = LtOwned<cublasLtMatrixLayoutOpaque_t>;
using LtPreference = LtOwned<cublasLtMatmulPreferenceOpaque_t>;

class LtKernel final : public StreamKernel {
public:
  LtKernel(std::shared_ptr<LtDevice> device, LtProduct product, LtBias bias,
           const void *weights, bool allowsTF32)
      : device(std::move(device)), product(std::move(product)),
        bias(std::move(bias)), weights(weights), allowsTF32(allowsTF32),
        desc(nullptr, library().cublasLtMatmulDescDestroy),
        a(nullptr, library().cublasLtMatrixLayoutDestroy),
        b(nullptr, library().cublasLtMatrixLayoutDestroy),
        c(nullptr, library().cublasLtMatrixLayoutDestroy),
        d(nullptr, library().cublasLtMatrixLayoutDestroy) {}

  /// Describes the product, and chooses the algorithm.
  Status prepare();

  Status enqueue(const KernelArgs &args, CUstream stream) override;
  size_t numBuffers() const override { return product.dBuffer + 1; }
  size_t workspaceBytes() const override {
    return biasOffset() + bias.workspaceBytes();
  }
  std::string implementation() const override {
    return weights ? "cuBLASLt, padded weights" : "cuBLASLt";
  }

private:
  const LtLibrary &library() const { return device->library; }
  /// Where a rounded bias begins in the workspace.
  size_t biasOffset() const {
    return alignTo(algorithm.workspaceSize, artifact::gpuBufferAlignment);
  }
  template <typename Value>
  Status set(cublasLtMatmulDescAttributes_t attribute, const Value &value);
  template <typename Value>
  Status set(LtLayout &layout, cublasLtMatrixLayoutAttribute_t attribute,
             const Value &value);
  template <typename Value>
  Status set(LtPreference &preference,
             cublasLtMatmulPreferenceAttributes_t attribute,
             const Value &value);
  Status makeDesc();
  Status makeLayout(LtLayout &layout, const LtMatrix &matrix);
  Status setAlignments(LtPreference &preference);
  Status choose();
  Status multiply(const LtProduct::Part &part, const KernelArgs &args,
                  CUstream stream);

  const std::shared_ptr<LtDevice> device;
  const LtProduct product;
  const LtBias bias;
  /// Where A is instead of in its buffer; or null.
  const void *const weights;
  const bool allowsTF32;
  LtDesc desc;
  LtLayout a, b, c, d;
  cublasLtMatmulHeuristicResult_t algorithm{};
  /// Guards the address of the bias, a part of `desc`: queues share kernels.
  std::mutex mutex;
};

} // namespace

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

template <typename Value>
Status LtKernel::set(cublasLtMatmulDescAttributes_t attribute,
                     const Value &value) {
  return library().check(library().cublasLtMatmulDescSetAttribute(
                             desc.get(), attribute, &value, sizeof value),
                         "cublasLtMatmulDescSetAttribute");
}

template <typename Value>
Status LtKernel::set(LtLayout &layout,
                     cublasLtMatrixLayoutAttribute_t attribute,
                     const Value &value) {
  return library().check(library().cublasLtMatrixLayoutSetAttribute(
                             layout.get(), attribute, &value, sizeof value),
                         "cublasLtMatrixLayoutSetAttribute");
}

template <typename Value>
Status LtKernel::set(LtPreference &preference,
                     cublasLtMatmulPreferenceAttributes_t attribute,
                     const Value &value) {
  return library().check(library().cublasLtMatmulPreferenceSetAttribute(
                             preference.get(), attribute, &value, sizeof value),
                         "cublasLtMatmulPreferenceSetAttribute");
}

Status LtKernel::makeDesc() {
  cublasLtMatmulDesc_t made = nullptr;
  // Sums in f32. Without TF32, operands of f32 keep all their bits.
  const bool isRounded = allowsTF32 && product.a.type == DType::F32;
  WEIR_RETURN_IF_ERROR(library().check(
      library().cublasLtMatmulDescCreate(
          &made, isRounded ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
          CUDA_R_32F),
      "cublasLtMatmulDescCreate"));
  desc.reset(made);
  const auto toOp = [](const LtMatrix &matrix) -> int32_t {
    return matrix.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  WEIR_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSA, toOp(product.a)));
  WEIR_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSB, toOp(product.b)));
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  if (product.hasRelu)
    epilogue =
        product.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  else if (product.bias)
    epilogue = CUBLASLT_EPILOGUE_BIAS;
  WEIR_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
  if (!product.bias)
    return Status::ok();
  // The choice of the algorithm looks at how the address is aligned.
  const uintptr_t aligned = artifact::gpuBufferAlignment;
  return set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, aligned);
}

Status LtKernel::makeLayout(LtLayout &layout, const LtMatrix &matrix) {
  cublasLtMatrixLayout_t made = nullptr;
  WEIR_RETURN_IF_ERROR(library().check(
      library().cublasLtMatrixLayoutCreate(
          &made, toCuda(matrix.type), static_cast<uint64_t>(matrix.rows),
          static_cast<uint64_t>(matrix.columns), matrix.step),
      "cublasLtMatrixLayoutCreate"));
  layout.reset(made);
  if (product.numBatches == 1)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                           static_cast<int32_t>(product.numBatches)));
  return set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
             matrix.batchStep);
}

/// How the addresses of a matrix are aligned in all calls.
static uint32_t alignmentOf(const LtProduct &product, DType type,
                            int64_t LtProduct::Part::*offset) {
  auto alignment = static_cast<uint64_t>(artifact::gpuBufferAlignment);
  for (const LtProduct::Part &part : product.parts)
    alignment = std::gcd(alignment,
                         static_cast<uint64_t>(part.*offset) * byteSize(type));
  return static_cast<uint32_t>(alignment);
}

Status LtKernel::setAlignments(LtPreference &preference) {
  using Part = LtProduct::Part;
  const auto require = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                           const LtMatrix &matrix, int64_t Part::*offset) {
    return set(preference, attribute,
               alignmentOf(product, matrix.type, offset));
  };
  WEIR_RETURN_IF_ERROR(
      require(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product.a, &Part::a));
  WEIR_RETURN_IF_ERROR(
      require(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product.b, &Part::b));
  WEIR_RETURN_IF_ERROR(
      require(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product.c, &Part::c));
  return require(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product.d,
                 &Part::d);
}

Status LtKernel::choose() {
  cublasLtMatmulPreference_t made = nullptr;
  WEIR_RETURN_IF_ERROR(
      library().check(library().cublasLtMatmulPreferenceCreate(&made),
                      "cublasLtMatmulPreferenceCreate"));
  LtPreference preference(made, library().cublasLtMatmulPreferenceDestroy);
  WEIR_RETURN_IF_ERROR(set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                           mostWorkspaceBytes));
  // A sum is split only if its parts are added in a fixed order, and in f32.
  const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  WEIR_RETURN_IF_ERROR(
      set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes));
  WEIR_RETURN_IF_ERROR(setAlignments(preference));
  int numFound = 0;
  WEIR_RETURN_IF_ERROR(library().check(
      library().cublasLtMatmulAlgoGetHeuristic(
          device->handle(), desc.get(), a.get(), b.get(), c.get(), d.get(),
          preference.get(), 1, &algorithm, &numFound),
      "cublasLtMatmulAlgoGetHeuristic"));
  if (numFound < 1)
    return unimplemented("cuBLASLt has no algorithm for the product on this "
                         "GPU");
  WEIR_RETURN_IF_ERROR(
      library().check(algorithm.state, "cublasLtMatmulAlgoGetHeuristic"));
  if (algorithm.workspaceSize > mostWorkspaceBytes)
    return internalError(fmt::format(
        "cuBLASLt's algorithm needs {} bytes of workspace; expected at most {}",
        algorithm.workspaceSize, mostWorkspaceBytes));
  return Status::ok();
}

Status LtKernel::prepare() {
  const CudaContext::Use use(device->context());
  WEIR_RETURN_IF_ERROR(use.status());
  WEIR_RETURN_IF_ERROR(makeDesc());
  WEIR_RETURN_IF_ERROR(makeLayout(a, product.a));
  WEIR_RETURN_IF_ERROR(makeLayout(b, product.b));
  WEIR_RETURN_IF_ERROR(makeLayout(c, product.c));
  WEIR_RETURN_IF_ERROR(makeLayout(d, product.d));
  return choose();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status LtKernel::multiply(const LtProduct::Part &part, const KernelArgs &args,
                          CUstream stream) {
  const auto address = [&](size_t buffer, const LtMatrix &matrix,
                           int64_t offset) -> void * {
    return static_cast<std::byte *>(args.buffers[buffer]) +
           offset * static_cast<int64_t>(byteSize(matrix.type));
  };
  const float beta = product.cBuffer ? 1 : 0;
  return library().check(
      library().cublasLtMatmul(
          device->handle(), desc.get(), &product.alpha,
          weights ? weights : address(product.aBuffer, product.a, part.a),
          a.get(), address(product.bBuffer, product.b, part.b), b.get(), &beta,
          address(product.cBuffer.value_or(product.dBuffer), product.c, part.c),
          c.get(), address(product.dBuffer, product.d, part.d), d.get(),
          &algorithm.algo, args.workspace, algorithm.workspaceSize, stream),
      "cublasLtMatmul");
}

Status LtKernel::enqueue(const KernelArgs &args, CUstream stream) {
  const std::lock_guard lock(mutex);
  if (product.bias) {
    WEIR_ASSIGN_OR_RETURN(
        const void *address,
        bias.enqueue(args.buffers[*product.bias],
                     static_cast<std::byte *>(args.workspace) + biasOffset(),
                     stream));
    WEIR_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address));
  }
  for (const LtProduct::Part &part : product.parts)
    WEIR_RETURN_IF_ERROR(multiply(part, args, stream));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

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
  auto kernel = std::make_unique<LtKernel>(std::move(device),
                                           std::move(product), std::move(bias),
                                           weights, own.options.allowsTF32);
  WEIR_RETURN_IF_ERROR(kernel->prepare());
  return std::unique_ptr<Kernel>(std::move(kernel));
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
