//===- Evaluations.h - Which nests evaluate which tensors -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A plan is made from results to operands. During that, this class records for
// each tensor which nests need it, and which of its elements they need for one
// point. A tensor of which a point needs several elements would be evaluated
// several times, and so would all tensors that only it reads. Without a bound,
// this number would double with each op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H

#include "KernelPlan.h"

namespace weir::kernels {

class Evaluations {
public:
  /// The part of a tensor that one nest needs at one point.
  struct Need {
    int nest;
    llvm::SmallVector<Indices, 1> places;
    /// Whether elements are used only where conditions hold.
    bool isConditional = false;
  };

  /// Records what `nest`, with number `number`, needs itself.
  void addNest(const KernelPlan &plan, const LoopNest &nest, int number);
  /// Records what the computation of `tensor` needs, wherever it is needed.
  void expand(const KernelPlan &plan, mlir::Value tensor);
  /// Computes the reduction `op` in nest `number`, if that nest needs one
  /// element per point, each element at only one point, and all of them.
  /// Otherwise returns false.
  bool fuse(const KernelPlan &plan, mlir::linalg::GenericOp op, int number);

  llvm::ArrayRef<Need> getNeeds(mlir::Value tensor) const {
    auto known = needs.find(tensor);
    return known == needs.end() ? llvm::ArrayRef<Need>() : known->second;
  }

  /// Whether neighbouring points of a nest need the same elements of `tensor`.
  bool isWindow(mlir::Value tensor) const;

private:
  Indices makeLoops(llvm::ArrayRef<int64_t> sizes);
  bool isEachPoint(llvm::ArrayRef<LinearIndex> place,
                   llvm::ArrayRef<int64_t> shape, int number) const;
  void noteReduction(const KernelPlan &plan, mlir::linalg::GenericOp op,
                     llvm::ArrayRef<LinearIndex> place, int number);
  void note(llvm::ArrayRef<Access> reads, int number);

  /// Symbols that are used only in these records.
  Symbols symbols;
  /// The number of loops of each nest with more than one iteration.
  llvm::DenseMap<int, size_t> loopCounts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Need, 2>> needs;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
