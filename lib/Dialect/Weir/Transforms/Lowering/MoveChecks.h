//===- MoveChecks.h - Which groups take over epilogues ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Epilogues that a library kernel refuses need no launch of their own if the
// group that reads them computes them. Code must be generated for that group.
// On a GPU, it must also have enough blocks. A kernel that reduces to few
// results has few blocks, and these would take longer than a separate launch on
// all processors.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <string>

namespace weir {

/// Why no group can take over the last ops of `group`, for reports; empty if
/// one can. `isCode` says whether code is generated for an op.
std::string whyNoReader(GroupOp group,
                        llvm::function_ref<bool(mlir::Operation *)> isCode);

/// Why the group that reads `group` should not compute `refused`, its last ops,
/// on a GPU; empty if it should.
std::string whyTooFewBlocks(GroupOp group,
                            llvm::ArrayRef<WeirOpInterface> refused);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H
