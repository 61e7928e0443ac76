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

/// The group that is the only reader of the only result of `group`, if it is on
/// the same device and in the same stage; else null.
GroupOp findOnlyReader(GroupOp group);

/// Moves `ops`, the last ops of a group, to the beginning of the only reader of
/// the group. `last` becomes the result of the group. `ops` must read no other
/// value of the remaining ops.
void moveToReader(llvm::ArrayRef<WeirOpInterface> ops, mlir::Value last);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_GROUPBODIES_H
