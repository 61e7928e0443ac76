//===- GroupBodies.h - Changes what is inside of groups ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_GROUPBODIES_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_GROUPBODIES_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

namespace weir {

/// Removes the operands of `group` that its body does not read.
void dropUnusedInputs(GroupOp group);

/// The group on the same device and in the same stage that alone reads the only
/// result of `group`; or null.
GroupOp findOnlyReader(GroupOp group);

/// Moves `ops`, the last ones of a group, to the begin of its only reader. The
/// value `last` becomes the group's result: it is all that `ops` read of the
/// ops in front of them.
void moveToReader(llvm::ArrayRef<WeirOpInterface> ops, mlir::Value last);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_GROUPBODIES_H
