//===- RandomBody.h - Functions of random ops -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_TRANSFORMS_RANDOMBODY_H
#define WEIR_TEST_UNIT_TRANSFORMS_RANDOMBODY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// A function of two to six random ops on small tensors of f64, for which a
/// changed element changes everything that the ops compute from it.
mlir::func::FuncOp makeRandomBody(mlir::ModuleOp module, unsigned seed);

} // namespace weir

#endif // WEIR_TEST_UNIT_TRANSFORMS_RANDOMBODY_H
