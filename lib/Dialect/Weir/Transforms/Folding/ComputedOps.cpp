//===- ComputedOps.cpp - The ops that a device computes ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/ComputedOps.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weir;

llvm::DenseSet<Operation *> weir::findComputedOps(Block &body) {
  llvm::DenseSet<Operation *> needed, computed;
  for (Operation &op : llvm::reverse(body)) {
    bool isNeeded = op.getNumResults() == 0 ||
                    llvm::any_of(op.getUsers(), [&](Operation *user) {
                      return needed.contains(user);
                    });
    if (!isNeeded)
      continue;
    needed.insert(&op);
    // An op without operands is a constant or a parameter, which no device
    // computes.
    if (op.getNumOperands() != 0)
      computed.insert(&op);
  }
  return computed;
}
