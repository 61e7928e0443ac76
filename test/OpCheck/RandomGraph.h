//===- RandomGraph.h - Random graphs of many ops ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_OPCHECK_RANDOMGRAPH_H
#define WEIR_TEST_OPCHECK_RANDOMGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace weir::opcheck {

/// What random graphs are made of.
struct RandomGraphKind {
  /// The float type of the inputs.
  mlir::Type element;
  /// Whether sizes are drawn, and tensors may have 4,096 elements instead of
  /// 160.
  bool drawsSizes = false;
};

/// Adds to `module` a function `random`, with ops that are drawn from `seed`
/// and whose results stay small. All values that nothing reads are its results.
mlir::func::FuncOp addRandomGraph(mlir::ModuleOp module, uint64_t seed,
                                  const RandomGraphKind &kind);

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_RANDOMGRAPH_H
