//===- State.cpp - Parameters and constants -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/State.cpp.inc"

void WeirDialect::registerStateOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/State.cpp.inc"
      >();
}

/// Succeeds if `name` is a parameter of type `type`.
static LogicalResult verifyUse(Operation *op, FlatSymbolRefAttr name, Type type,
                               SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(op, name);
  if (!parameter)
    return op->emitOpError("names parameter ")
           << name << ", which is not declared; declare it with "
           << llvm::formatv("'weir.parameter @{0} : {1} from "
                            "\"FILE.safetensors\"'",
                            name.getValue(), type)
                  .str();
  if (parameter.getType() == type)
    return success();
  InFlightDiagnostic error = op->emitOpError("expects type ")
                             << parameter.getType() << " of parameter " << name
                             << ", found " << type;
  error.attachNote(parameter.getLoc()) << "declared here";
  return error;
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getParameterAttr(), getValue().getType(), symbols);
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getParameterAttr(), getResult().getType(), symbols);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange,
                             DictionaryAttr attrs, OpaqueProperties properties,
                             RegionRange, SmallVectorImpl<Type> &types) {
  Attribute value = properties ? properties.as<Properties *>()->getValue()
                               : attrs.get("value");
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (!elements)
    return failure();
  types.push_back(elements.getShapedType());
  return success();
}

LogicalResult ParameterOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return emitOpError("expects a static shape, found ") << type;
  if (getFile() && getValue())
    return emitOpError("has both a file and a value; give one of them");
  if (getValue() && getValue()->getShapedType() != type)
    return emitOpError("expects a value of type ")
           << type << ", found " << getValue()->getShapedType();
  return success();
}
