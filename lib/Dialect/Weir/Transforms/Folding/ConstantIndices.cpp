//===- ConstantIndices.cpp - Indices that are known while compiling -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/ConstantIndices.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ElementWalk.h"

using namespace mlir;
using namespace weir;

LogicalResult weir::checkIndices(WeirOpInterface op,
                                 const IndexOperand &indices,
                                 TensorBytes values) {
  auto type = cast<RankedTensorType>(op->getOperand(indices.number).getType());
  const TensorDesc desc = toTensorDesc(type);
  auto numSizes = static_cast<int64_t>(indices.sizes.size());
  ElementWalk walk(desc.dims, desc.strides);
  for (int64_t i = 0; !walk.atEnd(); ++i, walk.next()) {
    int64_t size = indices.sizes[i % numSizes];
    int64_t index = loadInt(desc.type, values.data(), walk.offset());
    if (index >= -size && index < size)
      continue;
    return op.emitOpError("'")
           << weir::getOpName(op) << "': index " << index << ", element " << i
           << " of operand " << indices.number
           << ", is out of range for a dim of " << size << ", expected "
           << -size << " to " << size - 1 << "; correct the index";
  }
  return success();
}
