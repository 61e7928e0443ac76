//===- ClusterToLoops.cpp - Clusters of ops as kernel functions -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/ClusterToLoops.h"

#include "weir/Conversion/WeirToLinalg.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weir;

struct ClusterToLoops::Patterns {
  explicit Patterns(MLIRContext *context);

  LinalgTypeConverter converter;
  FrozenRewritePatternSet toLinalg;
  ConversionTarget linalg;
};

ClusterToLoops::Patterns::Patterns(MLIRContext *context) : linalg(*context) {
  RewritePatternSet conversions(context);
  populateWeirToLinalgPatterns(converter, conversions);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(conversions,
                                                                 converter);
  populateReturnOpTypeConversionPattern(conversions, converter);
  toLinalg = FrozenRewritePatternSet(std::move(conversions));
  linalg.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                         math::MathDialect, tensor::TensorDialect>();
  linalg.addIllegalDialect<WeirDialect>();
  linalg.addDynamicallyLegalOp<func::FuncOp>([this](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType());
  });
  linalg.addDynamicallyLegalOp<func::ReturnOp>(
      [this](Operation *op) { return converter.isLegal(op); });
}

ClusterToLoops::ClusterToLoops(MLIRContext *context, const LoopTarget &target)
    : target(target), patterns(std::make_unique<Patterns>(context)) {}

ClusterToLoops::~ClusterToLoops() = default;

/// The memory of a tensor of the graph, with the strides of its layout.
static MemRefType toMemory(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  TensorDesc desc = toTensorDesc(type);
  if (desc.isRowMajor())
    return getKernelMemory(type);
  return getKernelMemory(type, desc.strides);
}

FailureOr<LoweredCluster> ClusterToLoops::lower(func::FuncOp cluster,
                                                ModuleOp module) {
  FunctionType type = cluster.getFunctionType();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto tensors = cast<func::FuncOp>(builder.clone(*cluster));
  expandComposites(tensors);
  if (failed(
          applyFullConversion(tensors, patterns->linalg, patterns->toLinalg)))
    return failure();
  return emitKernels(tensors, llvm::map_to_vector(type.getInputs(), toMemory),
                     llvm::map_to_vector(type.getResults(), toMemory), target);
}
