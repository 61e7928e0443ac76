//===- Passes.h - The passes over the exec dialect --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_H

#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Pass/Pass.h"

namespace weir::exec {

#define GEN_PASS_DECL
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_H
