//===- WeirOps.h - The ops of the weir dialect -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIROPS_H
#define WEIR_DIALECT_WEIR_IR_WEIROPS_H

#include "weir/Dialect/Weir/IR/OpSupport.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Support/RandomFill.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Contraction.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Convolution.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Device.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Gradient.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Indexing.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Loss.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Normalization.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Optimizer.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Pooling.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Random.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Reduction.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Shape.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/State.h.inc"
#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Structure.h.inc"

#endif // WEIR_DIALECT_WEIR_IR_WEIROPS_H
