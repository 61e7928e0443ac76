//===- ExecDialect.h - The exec dialect -------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_IR_EXECDIALECT_H
#define WEIR_DIALECT_EXEC_IR_EXECDIALECT_H

#include "weir/Support/QueueRole.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/Types.h"

#include "weir/Dialect/Exec/IR/ExecDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "weir/Dialect/Exec/IR/ExecAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "weir/Dialect/Exec/IR/ExecTypes.h.inc"

#endif // WEIR_DIALECT_EXEC_IR_EXECDIALECT_H
