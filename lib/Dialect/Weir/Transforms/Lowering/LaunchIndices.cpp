//===- LaunchIndices.cpp - The index checks of a launch -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaunchIndices.h"

#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/IndexCheckAttrs.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

ConstantOp weir::getConstant(Value value) {
  Value outside = getOutside(value);
  return (outside ? outside : value).getDefiningOp<ConstantOp>();
}

std::optional<double> weir::getOnlyNumber(Value value) {
  ConstantOp constant = getConstant(value);
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.begin()).convertToDouble();
}

void LaunchIndices::add(Operation *op, const IndexOperand &indices,
                        int64_t input) {
  checks.push_back(input);
  checks.push_back(indices.ignored
                       ? labelsMark
                       : static_cast<int64_t>(indices.sizes.size()));
  llvm::append_range(checks, indices.sizes);
  if (indices.ignored)
    checks.push_back(*indices.ignored);
  names.push_back(weir::getOpName(op));
}

void LaunchIndices::addTo(NamedAttrList &config, MLIRContext *context) const {
  if (checks.empty())
    return;
  Builder builder(context);
  config.append(indexChecksAttr, builder.getI64ArrayAttr(checks));
  config.append(indexOpsAttr, builder.getStringAttr(llvm::join(names, "\n")));
}
