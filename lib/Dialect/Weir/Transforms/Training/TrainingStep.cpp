//===- TrainingStep.cpp - The counter of training steps ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingStep.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weir;

ParameterOp weir::declareStep(ModuleOp module, Location location) {
  constexpr StringLiteral name = "step";
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = RankedTensorType::get({}, builder.getI64Type());
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name)) {
    auto parameter = dyn_cast<ParameterOp>(known);
    return parameter && parameter.getType() == type ? parameter : ParameterOp();
  }
  return ParameterOp::create(
      builder, NameLoc::get(builder.getStringAttr(name), location),
      builder.getStringAttr(name), TypeAttr::get(type), StringAttr(),
      StringAttr(), IntegerAttr(),
      DenseElementsAttr::get(type, builder.getI64IntegerAttr(0)), UniformAttr(),
      DictionaryAttr());
}
