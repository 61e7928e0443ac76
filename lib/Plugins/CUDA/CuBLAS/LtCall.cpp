//===- LtCall.cpp - A product as cuBLASLt is asked for it ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtCall.h"

#include "weir/Artifact/GpuCode.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace weir;

/// The most workspace that an algorithm may take. Algorithms that split sums in
/// f32 took up to 16.5 MB. Algorithms for 16 bits took none.
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

LtCall::LtCall(std::shared_ptr<LtDevice> given, LtProduct described,
               bool allowsTF32)
    : product(std::move(described)), device(std::move(given)),
      allowsTF32(allowsTF32),
      desc(nullptr, library().cublasLtMatmulDescDestroy),
      a(nullptr, library().cublasLtMatrixLayoutDestroy),
      b(nullptr, library().cublasLtMatrixLayoutDestroy),
      c(nullptr, library().cublasLtMatrixLayoutDestroy),
      d(nullptr, library().cublasLtMatrixLayoutDestroy) {}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

template <typename Value>
Status LtCall::set(cublasLtMatmulDescAttributes_t attribute,
                   const Value &value) {
  return library().check(library().cublasLtMatmulDescSetAttribute(
                             desc.get(), attribute, &value, sizeof value),
                         "cublasLtMatmulDescSetAttribute");
}

template <typename Value>
Status LtCall::set(Layout &layout, cublasLtMatrixLayoutAttribute_t attribute,
                   const Value &value) {
  return library().check(library().cublasLtMatrixLayoutSetAttribute(
                             layout.get(), attribute, &value, sizeof value),
                         "cublasLtMatrixLayoutSetAttribute");
}

template <typename Value>
Status LtCall::set(Preference &preference,
                   cublasLtMatmulPreferenceAttributes_t attribute,
                   const Value &value) {
  return library().check(library().cublasLtMatmulPreferenceSetAttribute(
                             preference.get(), attribute, &value, sizeof value),
                         "cublasLtMatmulPreferenceSetAttribute");
}

Status LtCall::makeDesc() {
  cublasLtMatmulDesc_t made = nullptr;
  // The sums are computed in f32. Without TF32, operands of f32 keep all their
  // bits.
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
  // cuBLASLt looks at the alignment of this address when it chooses an
  // algorithm.
  const uintptr_t aligned = artifact::gpuBufferAlignment;
  return set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, aligned);
}

Status LtCall::makeLayout(Layout &layout, const LtMatrix &matrix) {
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

/// The alignment that the addresses of a matrix have in all calls.
static uint32_t alignmentOf(const LtProduct &product, DType type,
                            int64_t LtProduct::Part::*offset) {
  auto alignment = static_cast<uint64_t>(artifact::gpuBufferAlignment);
  for (const LtProduct::Part &part : product.parts)
    alignment = std::gcd(alignment,
                         static_cast<uint64_t>(part.*offset) * byteSize(type));
  return static_cast<uint32_t>(alignment);
}

Status LtCall::setAlignments(Preference &preference) {
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

StatusOr<std::vector<LtAlgorithm>> LtCall::choose(int most) {
  cublasLtMatmulPreference_t made = nullptr;
  WEIR_RETURN_IF_ERROR(
      library().check(library().cublasLtMatmulPreferenceCreate(&made),
                      "cublasLtMatmulPreferenceCreate"));
  Preference preference(made, library().cublasLtMatmulPreferenceDestroy);
  WEIR_RETURN_IF_ERROR(set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                           mostWorkspaceBytes));
  // The parts of a split sum must be added in a fixed order, and in f32.
  const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  WEIR_RETURN_IF_ERROR(
      set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes));
  WEIR_RETURN_IF_ERROR(setAlignments(preference));
  std::vector<LtAlgorithm> found(static_cast<size_t>(most));
  int numFound = 0;
  WEIR_RETURN_IF_ERROR(library().check(
      library().cublasLtMatmulAlgoGetHeuristic(
          device->handle(), desc.get(), a.get(), b.get(), c.get(), d.get(),
          preference.get(), most, found.data(), &numFound),
      "cublasLtMatmulAlgoGetHeuristic"));
  if (numFound < 1)
    return unimplemented("cuBLASLt has no algorithm for the product on this "
                         "GPU");
  found.resize(static_cast<size_t>(std::min(numFound, most)));
  WEIR_RETURN_IF_ERROR(
      library().check(found[0].state, "cublasLtMatmulAlgoGetHeuristic"));
  WEIR_RETURN_IF_ERROR(checkWorkspace(found[0]));
  // An algorithm that cannot be used is left out. This is no error.
  std::erase_if(found, [&](const LtAlgorithm &each) {
    return each.state != CUBLAS_STATUS_SUCCESS || !checkWorkspace(each).isOk();
  });
  return found;
}

StatusOr<LtAlgorithm> LtCall::check(const cublasLtMatmulAlgo_t &algorithm) {
  LtAlgorithm found{};
  WEIR_RETURN_IF_ERROR(library().check(
      library().cublasLtMatmulAlgoCheck(device->handle(), desc.get(), a.get(),
                                        b.get(), c.get(), d.get(), &algorithm,
                                        &found),
      "cublasLtMatmulAlgoCheck"));
  WEIR_RETURN_IF_ERROR(checkWorkspace(found));
  found.algo = algorithm;
  return found;
}

Status LtCall::checkWorkspace(const LtAlgorithm &algorithm) const {
  if (algorithm.workspaceSize <= mostWorkspaceBytes)
    return Status::ok();
  return internalError(fmt::format(
      "cuBLASLt's algorithm needs {} bytes of workspace; expected at most {}",
      algorithm.workspaceSize, mostWorkspaceBytes));
}

Status LtCall::describe() {
  WEIR_RETURN_IF_ERROR(makeDesc());
  WEIR_RETURN_IF_ERROR(makeLayout(a, product.a));
  WEIR_RETURN_IF_ERROR(makeLayout(b, product.b));
  WEIR_RETURN_IF_ERROR(makeLayout(c, product.c));
  return makeLayout(d, product.d);
}

StatusOr<std::unique_ptr<LtCall>>
LtCall::create(std::shared_ptr<LtDevice> device, LtProduct product,
               bool allowsTF32) {
  std::unique_ptr<LtCall> call(
      new LtCall(std::move(device), std::move(product), allowsTF32));
  WEIR_RETURN_IF_ERROR(call->describe());
  return call;
}

std::string LtCall::identify() const {
  return fmt::format("cuBLASLt {}{}\nat most {} bytes\n{}",
                     library().cublasLtGetVersion(), allowsTF32 ? ", TF32" : "",
                     mostWorkspaceBytes, product.toString());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status LtCall::multiply(const LtProduct::Part &part, const Places &places,
                        const LtAlgorithm &algorithm, CUstream stream) {
  const auto address = [&](size_t buffer, const LtMatrix &matrix,
                           int64_t offset) -> void * {
    return static_cast<std::byte *>(places.buffers[buffer]) +
           offset * static_cast<int64_t>(byteSize(matrix.type));
  };
  const float beta = product.cBuffer ? 1 : 0;
  return library().check(
      library().cublasLtMatmul(
          device->handle(), desc.get(), &product.alpha,
          places.weights ? places.weights
                         : address(product.aBuffer, product.a, part.a),
          a.get(), address(product.bBuffer, product.b, part.b), b.get(), &beta,
          address(product.cBuffer.value_or(product.dBuffer), product.c, part.c),
          c.get(), address(product.dBuffer, product.d, part.d), d.get(),
          &algorithm.algo, places.workspace, algorithm.workspaceSize, stream),
      "cublasLtMatmul");
}

Status LtCall::enqueue(const Places &places, const LtAlgorithm &algorithm,
                       CUstream stream) {
  if (product.bias)
    WEIR_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, places.bias));
  for (const LtProduct::Part &part : product.parts)
    WEIR_RETURN_IF_ERROR(multiply(part, places, algorithm, stream));
  return Status::ok();
}
