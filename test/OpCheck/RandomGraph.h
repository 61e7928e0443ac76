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

/// Adds to `module` a function of some tensors of f64, with ops that are drawn
/// from `seed` and whose results stay small.
mlir::func::FuncOp addRandomGraph(mlir::ModuleOp module, uint64_t seed);

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_RANDOMGRAPH_H
