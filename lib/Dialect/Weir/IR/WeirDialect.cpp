//===- WeirDialect.cpp - The weir dialect -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirDialect.h"

#include "KnownOps.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;

#include "weir/Dialect/Weir/IR/WeirDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "weir/Dialect/Weir/IR/WeirAttrs.cpp.inc"

void WeirDialect::initialize() {
  addInterfaces<BoundSpecs, InferredTypes>();
  registerAttributes();
  registerContractionOps();
  registerConvolutionOps();
  registerDeviceOps();
  registerElementwiseOps();
  registerGradientOps();
  registerIndexingOps();
  registerLossOps();
  registerNormalizationOps();
  registerOptimizerOps();
  registerPoolingOps();
  registerRandomOps();
  registerReductionOps();
  registerShapeOps();
  registerStateOps();
  registerStructureOps();
}

void WeirDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "weir/Dialect/Weir/IR/WeirAttrs.cpp.inc"
      >();
}

Operation *WeirDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<bool> isUsed(shape.size(), false);
  bool isPermutation = getOrder().size() == shape.size();
  for (int64_t dim : getOrder()) {
    isPermutation = isPermutation && dim >= 0 &&
                    dim < static_cast<int64_t>(shape.size()) && !isUsed[dim];
    if (!isPermutation)
      break;
    isUsed[dim] = true;
  }
  if (isPermutation)
    return success();
  return emitError() << "layout [" << getOrder()
                     << "] expects each dim of a tensor of rank "
                     << shape.size() << " once";
}
