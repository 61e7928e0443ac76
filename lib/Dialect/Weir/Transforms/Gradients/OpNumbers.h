//===- OpNumbers.h - The order of ops in a block that grows -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_OPNUMBERS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_OPNUMBERS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace weir {

/// Numbers the ops of a block in order. Each op is numbered only once, although
/// new ops may be inserted after the numbered ones.
class OpNumbers {
public:
  explicit OpNumbers(mlir::Block &block) : block(block) {}

  /// Numbers the ops before `end`. Numbered ops must not be erased.
  void extendTo(mlir::Operation *end) {
    for (mlir::Operation *op = last ? last->getNextNode() : &block.front();
         op != end; op = op->getNextNode()) {
      numbers.try_emplace(op, numbers.size());
      last = op;
    }
  }

  /// The numbered ops that `target` depends on, in order.
  mlir::SmallVector<mlir::Operation *> findBehind(mlir::Value target) const {
    llvm::DenseSet<mlir::Operation *> needed;
    mlir::SmallVector<mlir::Operation *> ops;
    mlir::SmallVector<mlir::Value> open = {target};
    while (!open.empty()) {
      mlir::Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !numbers.contains(op) || !needed.insert(op).second)
        continue;
      ops.push_back(op);
      llvm::append_range(open, op->getOperands());
    }
    llvm::sort(ops, [&](mlir::Operation *left, mlir::Operation *right) {
      return numbers.lookup(left) < numbers.lookup(right);
    });
    return ops;
  }

private:
  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
  /// The last op that has a number.
  mlir::Operation *last = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_OPNUMBERS_H
