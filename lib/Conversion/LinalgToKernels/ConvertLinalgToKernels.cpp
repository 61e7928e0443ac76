//===- ConvertLinalgToKernels.cpp - Kernels of all functions --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

static MemRefType toMemory(Type tensor) {
  return getKernelMemory(cast<RankedTensorType>(tensor));
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
    return emitKernels(function, operands, results,
                       LoopTarget{vectorBits, gpu});
  }
};
} // namespace
