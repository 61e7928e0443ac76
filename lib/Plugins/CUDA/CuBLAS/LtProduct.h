//===- LtProduct.h - Products as cuBLASLt computes them ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTPRODUCT_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTPRODUCT_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A matrix as cuBLASLt describes it: the elements of a column lie side by
/// side.
struct LtMatrix {
  DType type = DType::F32;
  int64_t rows = 0;
  int64_t columns = 0;
  /// Elements from one column to the next.
  int64_t step = 0;
  /// Elements from one matrix of the batch to the next; 0 if the whole batch
  /// has the same matrix.
  int64_t batchStep = 0;
  /// Whether the product reads the matrix transposed.
  bool isTransposed = false;
};

/// D = alpha A x B + C + bias, and then perhaps ReLU. Each matrix is a
/// transposed matrix of the op, because rows of the op's matrices lie side by
/// side, and columns of cuBLASLt's do. D is the op's result, A its right
/// operand, and B its left operand.
struct LtProduct {
  LtMatrix a, b, c, d;
  int64_t numBatches = 1;
  /// The numbers of the matrices among the buffers of the kernel.
  size_t aBuffer = 1, bBuffer = 0, dBuffer = 0;
  std::optional<size_t> cBuffer;
  /// A vector with an element for each row of D, in D's type or f32.
  std::optional<size_t> bias;
  float alpha = 1;
  bool hasRelu = false;

  /// The offsets of the matrices of one call, in elements.
  struct Part {
    int64_t a = 0, b = 0, c = 0, d = 0;
  };
  /// The calls that compute the whole batch.
  std::vector<Part> parts;

  /// One line per matrix and call, for keys.
  std::string toString() const;
};

/// The product that cuBLASLt computes for the op `matmul` or `linear` with its
/// post-ops, or why one launch cannot compute the op.
StatusOr<LtProduct> describeMatmul(const KernelSpec &spec);
StatusOr<LtProduct> describeLinear(const KernelSpec &spec);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTPRODUCT_H
