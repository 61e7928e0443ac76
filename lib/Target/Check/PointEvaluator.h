//===- PointEvaluator.h - Single elements of a cluster ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Computes single elements of results, and the elements on which they depend.
// It uses only the records of the ops. So it does not depend on the loops,
// vectors or memory of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H
#define WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H

#include "Bounded.h"

#include "weir/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace weir::kernelcheck {

/// An op that computes single elements of its results. Elements are numbered by
/// their offsets in memory.
class PointOp {
public:
  virtual ~PointOp() = default;
  virtual StatusOr<Bounded> at(unsigned result, int64_t offset) = 0;
};

/// A dim in memory, with more than one element.
struct StridedDim {
  size_t number;
  int64_t size, stride;
};

/// The dims that have more than one element. The largest stride comes first.
std::vector<StridedDim> sortDims(llvm::ArrayRef<int64_t> dims,
                                 llvm::ArrayRef<int64_t> strides);

/// Finds the positions of an element in the dims of a tensor.
class ElementIndices {
public:
  explicit ElementIndices(const TensorDesc &desc)
      : rank(desc.dims.size()), dims(sortDims(desc.dims, desc.strides)) {}

  /// Writes the positions of the element at `offset` to `indices`.
  void find(int64_t offset, std::vector<int64_t> &indices) const;

private:
  size_t rank;
  std::vector<StridedDim> dims;
};

/// A tensor of the cluster, and those of its elements that are known.
struct PointTensor {
  TensorDesc desc;
  /// Where its elements come from: `data`, or result `number` of `op`.
  const void *data = nullptr;
  PointOp *op = nullptr;
  unsigned number = 0;
  /// The elements of a constant.
  std::optional<HostTensor> constant;

  /// The elements that were computed, by number. Those of large tensors are in
  /// `few`.
  std::vector<Bounded> known;
  std::vector<bool> isKnown;
  std::unordered_map<int64_t, Bounded> few;
};

class PointEvaluator {
public:
  /// Makes an evaluator for the ops of `cluster`. The cluster must outlive it,
  /// and must have no composites. The error is Unimplemented if an op cannot be
  /// evaluated by points.
  static StatusOr<std::unique_ptr<PointEvaluator>>
  make(mlir::func::FuncOp cluster);
  ~PointEvaluator();

  /// Sets the elements of the arguments, in the order of their layouts. Drops
  /// the elements that were computed from earlier arguments.
  void setArguments(llvm::ArrayRef<HostTensor> given) { reset(given); }

  /// Element `offset` of result `number` of the cluster.
  StatusOr<Bounded> at(unsigned number, int64_t offset);

  /// Element `offset` of the tensor `value`. Ops call this function.
  StatusOr<Bounded> at(mlir::Value value, int64_t offset) {
    return at(find(value), offset);
  }
  StatusOr<Bounded> at(PointTensor &tensor, int64_t offset);
  /// The tensor for `value`. `value` is a block argument, or the result of an
  /// earlier op.
  PointTensor &find(mlir::Value value);

  /// Limits the number of points of leaf ops that are evaluated from now on. An
  /// element that needs more gives the error Cancelled.
  void allowPoints(int64_t most) { pointsLeft = most; }
  /// Whether another point may be evaluated. Ops call this function for each
  /// point.
  bool takePoint() { return pointsLeft-- > 0; }

private:
  explicit PointEvaluator(mlir::func::FuncOp cluster);

  void reset(llvm::ArrayRef<HostTensor> given);
  Status addOp(mlir::Operation &op);
  PointTensor &add(mlir::Value value);

  /// A result of the cluster.
  struct Returned {
    PointTensor *tensor;
    TensorDesc desc;
    ElementIndices indices;
    /// Whether the result has the layout of `tensor`. The body of a composite
    /// may compute a result in another layout.
    bool isSame;
  };
  void addReturned(mlir::Value value, mlir::Type type);

  mlir::func::FuncOp cluster;
  std::vector<std::unique_ptr<PointOp>> ops;
  std::vector<Returned> returned;
  llvm::DenseMap<mlir::Value, std::unique_ptr<PointTensor>> tensors;
  int64_t pointsLeft = std::numeric_limits<int64_t>::max();
};

/// The element of `type` at `offset` of `data`.
inline Bounded loadElement(DType type, const void *data, int64_t offset) {
  if (type == DType::F32)
    return {static_cast<const float *>(data)[offset], 0, 0};
  if (isFloat(type))
    return {loadFloat(type, data, offset), 0, 0};
  const int64_t integer = loadInt(type, data, offset);
  return {static_cast<double>(integer), 0, integer};
}

/// The offset of the element at `indices`.
int64_t findOffset(const TensorDesc &desc, llvm::ArrayRef<int64_t> indices);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H
