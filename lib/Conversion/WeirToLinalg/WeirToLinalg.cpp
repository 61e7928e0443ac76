//===- WeirToLinalg.cpp - Lowers ops to linalg on tensors -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/WeirToLinalg.h"

#include "Patterns.h"
#include "ScalarEmitter.h"

#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace weir {
#define GEN_PASS_DEF_CONVERTWEIRTOLINALG
#include "weir/Conversion/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

LinalgTypeConverter::LinalgTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    std::optional<DType> dtype = toDType(type.getElementType());
    if (!dtype)
      return std::nullopt;
    return RankedTensorType::get(type.getShape(),
                                 toSignlessType(*dtype, type.getContext()));
  });
}

void weir::expandComposites(Operation *root) {
  SmallVector<WeirOpInterface> open;
  root->walk([&](WeirOpInterface op) { open.push_back(op); });
  while (!open.empty()) {
    WeirOpInterface op = open.pop_back_val();
    if (!op.getOpRecord().isComposite())
      continue;
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.expandBody(builder));
    // The body may contain composites itself.
    for (Operation *part = op->getPrevNode(); part != before;
         part = part->getPrevNode())
      if (auto partOp = dyn_cast<WeirOpInterface>(part))
        open.push_back(partOp);
    op->erase();
  }
}

namespace {

struct ConstantToArith : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements)
      return op.emitOpError("expects its elements in the text");
    elements = elements.bitcast(type.getElementType()).reshape(type);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, elements);
    return success();
  }
};

/// Checks that all shapes are static, because bodies and loops are generated
/// for fixed sizes.
LogicalResult verifyStaticShapes(Operation *root) {
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  WalkResult result = root->walk([&](WeirOpInterface op) -> WalkResult {
    if (llvm::all_of(op->getOperandTypes(), isStatic) &&
        llvm::all_of(op->getResultTypes(), isStatic))
      return success();
    return op.emitOpError("expects static shapes; bind its unknown dims first");
  });
  return failure(result.wasInterrupted());
}

struct ConvertWeirToLinalg
    : weir::impl::ConvertWeirToLinalgBase<ConvertWeirToLinalg> {
  void runOnOperation() override {
    if (failed(verifyStaticShapes(getOperation())))
      return signalPassFailure();
    expandComposites(getOperation());
    LinalgTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    populateWeirToLinalgPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);

    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                           math::MathDialect, tensor::TensorDialect>();
    target.addIllegalDialect<WeirDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>(
        [&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void weir::populateWeirToLinalgPatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<ConstantToArith, LeafToLinalg, MovesToTensor>(
      converter, patterns.getContext());
}
