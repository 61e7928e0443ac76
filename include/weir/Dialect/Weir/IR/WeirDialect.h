//===- WeirDialect.h - The weir dialect -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRDIALECT_H
#define WEIR_DIALECT_WEIR_IR_WEIRDIALECT_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>

#include "weir/Dialect/Weir/IR/WeirDialect.h.inc"

namespace weir {
struct Topology;
} // namespace weir

#define GET_ATTRDEF_CLASSES
#include "weir/Dialect/Weir/IR/WeirAttrs.h.inc"

#endif // WEIR_DIALECT_WEIR_IR_WEIRDIALECT_H
