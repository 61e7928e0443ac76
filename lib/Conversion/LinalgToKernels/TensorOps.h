//===- TensorOps.h - How tensor ops map indices ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A tensor in a cluster is a function of its indices: what an op's result holds
// at some indices follows from what its operands hold at others. Planning and
// emission both follow these mappings.
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
/// Whether several points of a loop of `op` meet in one result element.
bool isReduction(mlir::linalg::GenericOp op);
/// The indexing map of `operand`, with 0 for loops of one iteration.
mlir::AffineMap getMap(mlir::linalg::GenericOp op, mlir::OpOperand &operand);
/// Whether each result element is one point of the parallel loops, found
/// without dividing.
bool hasPlainResult(mlir::linalg::GenericOp op);

/// The loops of `op` at result element `at`; reduction loops are
/// `reductions`, or 0. Only for plain results.
Indices toLoops(mlir::linalg::GenericOp op, llvm::ArrayRef<LinearIndex> at,
                llvm::ArrayRef<LinearIndex> reductions = {});

/// The tensor whose elements, in row-major order, are those of `value`, which
/// only has another shape; null if `value` is no such result.
mlir::Value getReshaped(mlir::Value value);
/// Where in a tensor of shape `from` the element `at` of shape `to` is.
Indices toReshaped(Symbols &symbols, llvm::ArrayRef<int64_t> from,
                   llvm::ArrayRef<int64_t> to, llvm::ArrayRef<LinearIndex> at);
/// The strides of shape `to` over memory in which shape `from` has `strides`;
/// nothing if there are none.
std::optional<llvm::SmallVector<int64_t>>
reshapeStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> to);

/// Where in the source of `op` the element `at` is.
Indices toSource(mlir::tensor::ExtractSliceOp op,
                 llvm::ArrayRef<LinearIndex> at);

/// An index that must lie in [0, size) for an element to come from the inner
/// tensor rather than from around it.
struct Guard {
  LinearIndex index;
  int64_t size;
};
/// Whether one of `guards` holds for no element.
bool neverHold(llvm::ArrayRef<Guard> guards, const Symbols &symbols);
/// Where in the padded tensor element `at` is, and what must hold for it to be
/// there.
Indices toSource(mlir::tensor::PadOp op, llvm::ArrayRef<LinearIndex> at,
                 const Symbols &symbols, llvm::SmallVectorImpl<Guard> &guards);
Indices toSource(mlir::tensor::InsertSliceOp op, llvm::ArrayRef<LinearIndex> at,
                 const Symbols &symbols, llvm::SmallVectorImpl<Guard> &guards);
/// Whether the inserted part is a box without steps, of the target's rank.
bool isPlainInsert(mlir::tensor::InsertSliceOp op);

/// What one evaluation of the body costs, in simple vector operations.
int64_t getBodyCost(mlir::linalg::GenericOp op);
/// What is evaluated once for each element of the result of `op`.
int64_t getLocalCost(mlir::Operation *op);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_TENSOROPS_H
