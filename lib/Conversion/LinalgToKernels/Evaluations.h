//===- Evaluations.h - Which nests evaluate which tensors -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A plan is made from results to operands. Meanwhile, this class records what
// nests will compute. For each tensor, it records which nests need the tensor,
// and which elements they need for one point. A point may need several elements
// of a tensor. Then the tensor would be evaluated several times, and so would
// all tensors that only this tensor reads. Without a bound, the number of
// evaluations would double with each op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H

#include "KernelPlan.h"

namespace weir::kernels {

class Evaluations {
public:
  /// The part of a tensor that one assignment needs at one point.
  struct Need {
    size_t assignment;
    llvm::SmallVector<Indices, 1> places;
    /// Whether elements are used only where conditions hold.
    bool isConditional = false;
  };

  /// Adds `assignment`, and records which elements it needs itself.
  void add(const KernelPlan &plan, Assignment assignment);
  /// Records which elements the computation of `tensor` needs, wherever
  /// `tensor` is needed.
  void expand(const KernelPlan &plan, mlir::Value tensor);
  /// Fuses the reduction `op` into the only assignment that needs it, and
  /// returns true. For that, the assignment must need one element of `op` per
  /// point, each element at only one point, and all elements. Otherwise returns
  /// false.
  bool fuse(const KernelPlan &plan, mlir::linalg::GenericOp op);

  /// All assignments, in the order in which they were added.
  llvm::ArrayRef<Assignment> getAssignments() const { return assignments; }
  /// How often elements of `tensor` would be evaluated.
  int64_t count(mlir::Value tensor) const;
  llvm::ArrayRef<Need> getNeeds(mlir::Value tensor) const {
    auto known = needs.find(tensor);
    return known == needs.end() ? llvm::ArrayRef<Need>() : known->second;
  }

  /// Whether neighbouring points of an assignment need the same elements of
  /// `tensor`.
  bool isWindow(mlir::Value tensor) const;

private:
  Indices makeLoops(llvm::ArrayRef<int64_t> sizes);
  bool isEachPoint(llvm::ArrayRef<LinearIndex> place, mlir::Value tensor,
                   const Assignment &assignment) const;
  void noteReduction(const KernelPlan &plan, mlir::linalg::GenericOp op,
                     llvm::ArrayRef<LinearIndex> place, size_t number);
  void note(llvm::ArrayRef<Access> reads, size_t number);

  /// Symbols that are used only in these records.
  Symbols symbols;
  std::vector<Assignment> assignments;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Need, 2>> needs;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
