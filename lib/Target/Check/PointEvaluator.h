//===- PointEvaluator.h - Single elements of a cluster ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Computes the elements that are asked for, and what they depend on, from the
// records of the ops alone. It knows nothing of loops, vectors or memory of
// kernels.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H
#define WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H

#include "Bounded.h"

#include "weir/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <vector>

namespace weir::kernelcheck {

/// How an op computes an element of its results. Elements are numbered by their
/// place in memory.
class PointOp {
public:
  virtual ~PointOp() = default;
  virtual StatusOr<Bounded> at(unsigned result, int64_t offset) = 0;
};

class PointEvaluator {
public:
  /// For the ops of `cluster`, which has no composites. It must exist as long
  /// as the evaluator. Unimplemented if an op cannot be evaluated by points.
  static StatusOr<std::unique_ptr<PointEvaluator>>
  make(mlir::func::FuncOp cluster);
  ~PointEvaluator();

  /// Sets the elements of the arguments, in the order of their layouts, and
  /// forgets what was computed from others.
  void setArguments(llvm::ArrayRef<HostTensor> given) { reset(given); }

  /// Element `offset` of result `number` of the cluster.
  StatusOr<Bounded> at(unsigned number, int64_t offset);

  /// Element `offset` of the tensor `value`, for ops.
  StatusOr<Bounded> at(mlir::Value value, int64_t offset);

private:
  struct Tensor;
  explicit PointEvaluator(mlir::func::FuncOp cluster);

  void reset(llvm::ArrayRef<HostTensor> given);
  Status addOp(mlir::Operation &op);
  Tensor &add(mlir::Value value);

  mlir::func::FuncOp cluster;
  std::vector<std::unique_ptr<PointOp>> ops;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Tensor>> tensors;
};

/// The element of `type` at `offset` of `data`.
Bounded loadElement(DType type, const void *data, int64_t offset);

/// The position of the element at `offset` in a tensor's memory, dim by dim.
void findIndices(const TensorDesc &desc, int64_t offset,
                 std::vector<int64_t> &indices);
/// The place of the element at `indices`.
int64_t findOffset(const TensorDesc &desc, llvm::ArrayRef<int64_t> indices);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_POINTEVALUATOR_H
