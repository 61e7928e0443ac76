//===- TensorOps.h - Index mappings of tensor ops ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A tensor in a cluster is a function of its indices: the element of a result
// at some indices follows from elements of the operands at other indices.
// Planning and emission both use these mappings.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_TENSOROPS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_TENSOROPS_H

#include "LinearIndex.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace weir::kernels {

llvm::ArrayRef<int64_t> getShape(mlir::Value tensor);
int64_t getNumElements(mlir::Value tensor);
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Whether `op` combines points along a loop in order, and its first result
/// stores the running value at each point.
bool isScan(mlir::linalg::GenericOp op);
/// The operand with the initial running value.
mlir::OpOperand &getStartOperand(mlir::linalg::GenericOp op);
/// Whether several points of a loop of `op` contribute to one result element.
bool isReduction(mlir::linalg::GenericOp op);
/// The indexing map of `operand`, with 0 for loops of one iteration.
mlir::AffineMap getMap(mlir::linalg::GenericOp op, mlir::OpOperand &operand);
/// Whether each result element is one point of the parallel loops, which can be
/// found without division.
bool hasPlainResult(mlir::linalg::GenericOp op);

/// The loops of `op` at result element `at`. Reduction loops are `reductions`,
/// or 0. Only for plain results.
Indices toLoops(mlir::linalg::GenericOp op, llvm::ArrayRef<LinearIndex> at,
                llvm::ArrayRef<LinearIndex> reductions = {});

/// The tensor that `value` only reshapes, with the same row-major order of
/// elements; null if `value` is not a reshape.
mlir::Value getReshaped(mlir::Value value);
/// The indices in a tensor of shape `from` of the element `at` in shape `to`.
Indices toReshaped(Symbols &symbols, llvm::ArrayRef<int64_t> from,
                   llvm::ArrayRef<int64_t> to, llvm::ArrayRef<LinearIndex> at);
/// The strides of shape `to` in memory in which shape `from` has `strides`.
/// Nothing if no strides fit.
std::optional<llvm::SmallVector<int64_t>>
reshapeStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> to);

/// The indices in the source of `op` of the element `at`.
Indices toSource(mlir::tensor::ExtractSliceOp op,
                 llvm::ArrayRef<LinearIndex> at);

/// A condition that an index is in [0, size). If it holds, an element comes
/// from the inner tensor, else from what is around this tensor.
struct Guard {
  LinearIndex index;
  int64_t size;
  /// The dim of the inner tensor that `index` is an index into.
  size_t dim;
};
/// Whether one of `guards` never holds.
bool neverHold(llvm::ArrayRef<Guard> guards, const Symbols &symbols);
/// The indices of element `at` in the padded tensor, and the conditions under
/// which that tensor has the element.
Indices toSource(mlir::tensor::PadOp op, llvm::ArrayRef<LinearIndex> at,
                 const Symbols &symbols, llvm::SmallVectorImpl<Guard> &guards);
Indices toSource(mlir::tensor::InsertSliceOp op, llvm::ArrayRef<LinearIndex> at,
                 const Symbols &symbols, llvm::SmallVectorImpl<Guard> &guards);
/// Whether the inserted part is a box without steps and has the rank of the
/// target.
bool isPlainInsert(mlir::tensor::InsertSliceOp op);

/// The cost of one evaluation of the body, in simple vector operations.
int64_t getBodyCost(mlir::linalg::GenericOp op);
/// The cost of the operations that are done once per element of the result of
/// `op`.
int64_t getLocalCost(mlir::Operation *op);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_TENSOROPS_H
