//===- CheckIndices.cpp - Rejects constant indices out of range -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantIndices.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CHECKINDICES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class CheckIndices : public weir::impl::CheckIndicesBase<CheckIndices> {
public:
  void runOnOperation() override {
    bool hasFailed = false;
    auto check = [&](func::FuncOp entry) {
      hasFailed |= failed(checkEntry(entry));
      return success();
    };
    if (failed(forEachEntry(getOperation(), check)) || hasFailed)
      signalPassFailure();
  }

private:
  static LogicalResult checkEntry(func::FuncOp entry) {
    bool hasFailed = false;
    for (auto op : entry.getOps<WeirOpInterface>())
      for (const IndexOperand &indices : op.getIndexOperands())
        if (auto constant =
                op->getOperand(indices.number).getDefiningOp<ConstantOp>())
          hasFailed |= failed(
              checkIndices(op, indices, getConstantBytes(constant.getValue())));
    return failure(hasFailed);
  }
};
} // namespace
