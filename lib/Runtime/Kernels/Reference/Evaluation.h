//===- Evaluation.h - What the reference kernel does for one launch -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_REFERENCE_EVALUATION_H
#define WEIR_LIB_RUNTIME_KERNELS_REFERENCE_EVALUATION_H

#include "Walk.h"

#include "weir/Runtime/Kernel.h"
#include "weir/Support/IndexSpec.h"
#include "weir/Support/ScalarExpr.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::reference {

enum class Combiner { None, Sum, Product, Maximum, Minimum };

/// The type that a launch computes in: double, int64_t or uint64_t.
enum class WorkType { Float, Signed, Unsigned };

/// An index that has to lie in [0, size) for a point to take part.
struct Bound {
  int function;
  int64_t size;
};

/// The elements of source `index` are indices along dim `dim` of source
/// `target`. That dim has `size` elements.
struct IndirectDim {
  int index;
  int target;
  int64_t dim;
  int64_t size;
  int64_t stride;
  /// Whether the indices are unsigned, so that no index counts from the end.
  bool isUnsigned;
};

/// The move between a tensor and its dense, row-major copy in the working type.
struct Transfer {
  DType type;
  /// Whether elements beyond the largest int64_t are loaded as the largest
  /// int64_t, and not as a negative number.
  bool isClamped = false;
  int64_t numElements;
  /// Function 0 gives the offset in the tensor, function 1 the offset in the
  /// copy.
  Walk walk;

  explicit Transfer(const TensorDesc &desc);
};

/// An operand that the kernel reads.
struct Source {
  /// The position of the operand in the kernel spec.
  int operand;
  Transfer transfer;
};

/// Running values along a dim of the result's copy. The dim has `size` elements
/// that are `stride` apart. Each element is combined with all elements before
/// it.
struct Running {
  int64_t size;
  int64_t stride;
  bool isReversed;
  bool isExclusive;
};

/// All that a launch needs and that does not depend on the working type.
struct Evaluation {
  ScalarExpr expression;
  /// The values of attributes, in a slot for each node of the expression.
  std::vector<double> attributes;
  Combiner combiner;
  /// The attribute that holds the initial value.
  std::optional<std::string> fill;
  WorkType workType;

  /// The number of operands of the launch. The result's buffer follows them.
  size_t numOperands;
  /// The operands that are read.
  std::vector<Source> sources;
  Transfer result;

  /// The source that is the whole expression, or -1.
  int bareOperand = -1;
  /// Whether the expression is the product of the sources `factors`.
  bool isProduct = false;
  std::array<int, 2> factors = {-1, -1};

  /// The walk over the iteration space. Function 0 is the offset in the
  /// result's copy, function 1 + i the offset in the copy of `sources[i]`.
  Walk points;
  std::vector<Bound> bounds;
  std::vector<IndirectDim> indirectDims;
  /// The functions of `points` that are the loop counters in the expression, in
  /// their order there.
  std::vector<int> indexFunctions;

  /// The source that holds initial values, or -1, and the walk that copies
  /// them: function 0 is the offset in the result's copy, function 1 the offset
  /// in the source's copy.
  int initSource = -1;
  std::optional<Walk> init;

  /// How elements of the result's copy are combined along a dim, after all
  /// points were combined into the copy.
  std::optional<Running> running;

  /// Like `points`, but with offsets in the tensors themselves, not in their
  /// copies. Present only if every point writes an element of its own, and
  /// reads only elements inside of their tensors.
  std::optional<Walk> direct;
};

/// Checks `spec` and finds how it is evaluated.
StatusOr<Evaluation> makeEvaluation(const KernelSpec &spec);

/// A kernel for an evaluation of floats that has a direct walk. It works block
/// by block, without copies of tensors.
std::unique_ptr<Kernel> makeDirectKernel(Evaluation evaluation);

} // namespace weir::reference

#endif // WEIR_LIB_RUNTIME_KERNELS_REFERENCE_EVALUATION_H
