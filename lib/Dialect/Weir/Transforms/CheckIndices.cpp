//===- CheckIndices.cpp - Refuses indices known to be out of range --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/IndexOperands.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CHECKINDICES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// Whether all of `values`, the constant operand `indices` of `op`, pick an
/// element; tells the first that does not.
static LogicalResult check(WeirOpInterface op, const IndexOperand &indices,
                           DenseElementsAttr values) {
  bool isSigned = !values.getElementType().isUnsignedInteger();
  size_t numSizes = indices.sizes.size();
  for (auto [position, value] : llvm::enumerate(values.getValues<APInt>())) {
    int64_t size = indices.sizes[position % numSizes];
    int64_t index = isSigned ? value.getSExtValue()
                             : static_cast<int64_t>(value.getZExtValue());
    if (index >= -size && index < size)
      continue;
    return op.emitOpError("'")
           << weir::getOpName(op) << "': index " << index << ", element "
           << position << " of operand " << indices.number
           << ", is out of range for a dim of " << size << ", expected "
           << -size << " to " << size - 1 << "; correct the index";
  }
  return success();
}

namespace {
class CheckIndices : public weir::impl::CheckIndicesBase<CheckIndices> {
public:
  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    bool hasFailed = false;
    for (auto op : entry.getOps<WeirOpInterface>())
      for (const IndexOperand &indices : getIndexOperands(op))
        if (auto values = getConstant(op->getOperand(indices.number)))
          hasFailed |= failed(check(op, indices, values));
    if (hasFailed)
      signalPassFailure();
  }

private:
  static DenseElementsAttr getConstant(Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    return constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                    : DenseElementsAttr();
  }
};
} // namespace
