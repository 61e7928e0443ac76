//===- BindShapes.cpp - Sets the unknown dims of entry inputs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/OptionText.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

namespace weir {
#define GEN_PASS_DEF_BINDSHAPES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class BindShapes : public weir::impl::BindShapesBase<BindShapes> {
public:
  using BindShapesBase::BindShapesBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    if (failed(checkTypes(entry)))
      return signalPassFailure();
    for (StringRef shape : shapes)
      if (failed(bindOne(entry, shape)))
        return signalPassFailure();
    if (failed(inferAll(entry)) || failed(checkStatic(entry)))
      signalPassFailure();
  }

private:
  LogicalResult bindOne(func::FuncOp entry, StringRef shape) {
    StatusOr<ShapeOption> option = parseShapeOption(shape);
    if (!option.isOk())
      return entry.emitError(StringRef(option.status().message()));
    for (BlockArgument input : entry.getArguments())
      if (getValueName(input) == option->input)
        return bindInput(entry, input, option->dims);
    std::string names = llvm::join(
        llvm::map_range(entry.getArguments(),
                        [](Value input) { return getValueName(input); }),
        ", ");
    return entry.emitError("shape '")
           << shape << "' names no input; the inputs are " << names;
  }

  LogicalResult bindInput(func::FuncOp entry, BlockArgument input,
                          ArrayRef<int64_t> dims) {
    auto type = cast<RankedTensorType>(input.getType());
    if (succeeded(verifyCompatibleShape(type.getShape(), dims))) {
      input.setType(type.clone(dims));
      return success();
    }
    return entry.emitError("input '")
           << getValueName(input) << "' is " << shapeToString(toDims(type))
           << ", which does not fit the shape " << shapeToString(dims)
           << "; give each ? a number, and keep the other dims";
  }

  /// Infers result types from operand types in order, and then the entry's own
  /// type.
  LogicalResult inferAll(func::FuncOp entry) {
    for (Operation &op : entry.getBody().front().without_terminator()) {
      auto infer = dyn_cast<InferTypeOpInterface>(op);
      if (!infer)
        continue;
      SmallVector<Type> types;
      if (failed(infer.inferReturnTypes(
              op.getContext(), op.getLoc(), op.getOperands(),
              op.getAttrDictionary(), op.getPropertiesStorage(),
              op.getRegions(), types)))
        return failure();
      // A layout is an order of dims, which does not depend on sizes.
      for (auto [result, type] : llvm::zip(op.getResults(), types))
        result.setType(cast<RankedTensorType>(type).cloneWithEncoding(
            cast<RankedTensorType>(result.getType()).getEncoding()));
    }
    Operation *terminator = entry.getBody().front().getTerminator();
    entry.setType(FunctionType::get(entry.getContext(),
                                    entry.getBody().front().getArgumentTypes(),
                                    terminator->getOperandTypes()));
    return success();
  }

  LogicalResult checkTypes(func::FuncOp entry) {
    for (BlockArgument input : entry.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      if (!type || !toDType(type.getElementType()))
        return emitError(input.getLoc(), "input '")
               << getValueName(input)
               << "' expects a ranked tensor of an element type that Weir has "
                  "(f32, bf16, i32, ...), found "
               << input.getType();
    }
    return success();
  }

  LogicalResult checkStatic(func::FuncOp entry) {
    for (BlockArgument input : entry.getArguments()) {
      auto type = cast<RankedTensorType>(input.getType());
      if (!type.hasStaticShape())
        return emitError(input.getLoc(), "input '")
               << getValueName(input) << "' has an unknown dim ("
               << shapeToString(toDims(type))
               << "); give each ? a number in --shape=" << getValueName(input)
               << ":" << shapeToString(toDims(type))
               << ", or in the option shapes of weir-bind-shapes";
    }
    return success();
  }
};
} // namespace
