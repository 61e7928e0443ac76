//===- AccessWalk.h - What the value of a tensor is read from ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_ACCESSWALK_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_ACCESSWALK_H

#include "TensorOps.h"

namespace weir::kernels {

class Assignment;
class KernelPlan;

/// An element of memory that a nest reads or writes. An access without a tensor
/// stands for indices whose values the nest uses.
struct Access {
  mlir::Value tensor;
  Indices indices;
  /// Whether the element is used only under conditions. If the conditions do
  /// not hold, another element may be accessed instead.
  bool isConditional = false;
};

/// The elements that are read to evaluate tensors.
struct Reads {
  llvm::SmallVector<Access> accesses;
  /// The conditions under which elements come from inserted parts.
  llvm::SmallVector<Guard> insertions;
  /// Whether a tensor that is read at computed indices is not in memory.
  bool computesLookups = false;
  /// Whether something is read under conditions.
  bool hasConditions = false;
};

/// Finds everything that a nest reads. Follows tensors without a home to their
/// operands.
class AccessWalk {
public:
  AccessWalk(const KernelPlan &plan, Symbols &symbols)
      : plan(plan), symbols(symbols) {}

  /// A reduction whose result is recorded as read and not followed.
  mlir::Operation *stop = nullptr;
  /// Whether tensors without a home are followed, or recorded as read.
  bool follows = true;
  /// Whether the visited elements are used only where conditions hold.
  bool isConditional = false;
  /// The reads that were found.
  Reads reads;

  /// Visits what is read to evaluate the source of `assignment` at `at`.
  void visitSource(const Assignment &assignment,
                   llvm::ArrayRef<LinearIndex> at);
  void visit(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);
  /// Visits what the body of `op` reads at `loops`.
  void visitBody(mlir::linalg::GenericOp op, llvm::ArrayRef<LinearIndex> loops,
                 bool readsInit);
  /// Visits what is read to compute `tensor` at `at`.
  void visitDefinition(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);

private:
  void visitInsert(mlir::tensor::InsertSliceOp op,
                   llvm::ArrayRef<LinearIndex> at);
  void visitGuarded(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                    llvm::ArrayRef<Guard> guards);
  void addAccess(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);
  void addGuards(llvm::ArrayRef<Guard> guards);
  void visitExtracts(mlir::linalg::GenericOp op,
                     llvm::ArrayRef<LinearIndex> loops);

  const KernelPlan &plan;
  Symbols &symbols;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Access, 2>> visited;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_ACCESSWALK_H
