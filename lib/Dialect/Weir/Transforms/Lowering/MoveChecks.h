//===- MoveChecks.h - Which groups take over epilogues ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// If a library kernel refuses epilogues, the group that reads them can compute
// them, so that they need no launch of their own. Code must be generated for
// that group. On a GPU, the group must also have enough blocks. A kernel that
// reduces to few results has few blocks. They would take longer than a separate
// launch on all processors.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <string>

namespace weir {

/// The reason, for reports, why no group can take over the last ops of `group`;
/// empty if one can. `isCode` says whether code is generated for an op.
std::string whyNoReader(GroupOp group,
                        llvm::function_ref<bool(mlir::Operation *)> isCode);

/// The reason why the group that reads `group` should not compute `refused` on
/// a GPU; empty if it should. `refused` are the last ops of `group`.
std::string whyTooFewBlocks(GroupOp group,
                            llvm::ArrayRef<WeirOpInterface> refused);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_MOVECHECKS_H
