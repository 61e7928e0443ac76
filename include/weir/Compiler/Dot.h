//===- Dot.h - Draws a partitioned graph -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_DOT_H
#define WEIR_COMPILER_DOT_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Prints the entries of `module`, a partitioned graph, in Graphviz's language.
/// Each group is a box inside of its device's box. The box of a device has a
/// colour of its own. The box of a group has the predicted time of the group
/// and the bytes of the parameters that it reads. If there are several entries,
/// each is a box around its devices. Edges have the types of the values.
/// Crossings are dashed, and have the bytes that cross. Parameters and
/// constants have no boxes.
void printDot(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_DOT_H
