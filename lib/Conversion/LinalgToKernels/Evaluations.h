//===- Evaluations.h - Where stages evaluate tensors ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// While a plan is made, from results to operands, this notes for each tensor
// which stages need it, and at which of its elements for one point. A tensor
// that is needed at several elements a point would be evaluated as often, and
// so would all that only it reads: without a bound that doubles with each op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H

#include "Plan.h"

namespace weir::kernels {

class Evaluations {
public:
  /// What one stage needs of a tensor, at one point.
  struct Need {
    int stage;
    llvm::SmallVector<Indices, 1> places;
  };

  /// Notes what stage `number`, which is `stage`, needs by itself.
  void addStage(const Plan &plan, const Stage &stage, int number);
  /// Notes what computing `tensor` needs, wherever it is needed.
  void expand(const Plan &plan, mlir::Value tensor);
  /// Computes the reduction `op` in stage `number` if that needs it once a
  /// point, each element at one point; else returns false.
  bool fuse(const Plan &plan, mlir::linalg::GenericOp op, int number);

  llvm::ArrayRef<Need> getNeeds(mlir::Value tensor) const {
    auto known = needs.find(tensor);
    return known == needs.end() ? llvm::ArrayRef<Need>() : known->second;
  }

private:
  Indices makeLoops(llvm::ArrayRef<int64_t> sizes);
  bool isEachPoint(llvm::ArrayRef<LinearIndex> place,
                   llvm::ArrayRef<int64_t> shape, int number) const;
  void noteReduction(const Plan &plan, mlir::linalg::GenericOp op,
                     llvm::ArrayRef<LinearIndex> place, int number);
  void note(llvm::ArrayRef<Access> reads, int number);

  /// Symbols of these notes alone.
  Symbols symbols;
  /// The loops of each stage that are longer than 1.
  llvm::DenseMap<int, size_t> loopCounts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Need, 2>> needs;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_EVALUATIONS_H
