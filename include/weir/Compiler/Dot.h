//===- Dot.h - Draws a partitioned graph -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_DOT_H
#define WEIR_COMPILER_DOT_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Prints the one function of `module`, a partitioned graph, in the language of
/// Graphviz: a box per group inside of its device, edges with the types of the
/// values, and crossings as dashed edges. Parameters and constants are left
/// out.
void printDot(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_DOT_H
