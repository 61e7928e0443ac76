//===- ConvertLinalgToKernels.cpp - Kernels of all functions --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace weir {
#define GEN_PASS_DEF_CONVERTLINALGTOKERNELS
#include "weir/Conversion/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The memory of a row-major tensor; truth values are bytes.
static MemRefType toMemory(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  return MemRefType::get(type.getShape(), element);
}

namespace {
struct ConvertLinalgToKernels
    : weir::impl::ConvertLinalgToKernelsBase<ConvertLinalgToKernels> {
  using ConvertLinalgToKernelsBase::ConvertLinalgToKernelsBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal() && failed(convert(function)))
        return signalPassFailure();
  }

  LogicalResult convert(func::FuncOp function) {
    FunctionType type = function.getFunctionType();
    auto operands = llvm::map_to_vector(type.getInputs(), toMemory);
    auto results = llvm::map_to_vector(type.getResults(), toMemory);
    return emitKernels(function, operands, results, vectorBits);
  }
};
} // namespace
