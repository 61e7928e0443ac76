//===- ConstantIndices.cpp - Indices that are known while compiling -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/ConstantIndices.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;

/// Where the element with number `position`, in row-major order, lies.
static int64_t getOffset(const TensorDesc &desc, int64_t position) {
  int64_t offset = 0;
  for (size_t d = desc.dims.size(); d-- > 0; position /= desc.dims[d])
    offset += position % desc.dims[d] * desc.strides[d];
  return offset;
}

LogicalResult weir::checkIndices(WeirOpInterface op,
                                 const IndexOperand &indices,
                                 TensorBytes values) {
  auto type = cast<RankedTensorType>(op->getOperand(indices.number).getType());
  const TensorDesc desc = toTensorDesc(type);
  auto numSizes = static_cast<int64_t>(indices.sizes.size());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t size = indices.sizes[i % numSizes];
    int64_t index = loadInt(desc.type, values.data(), getOffset(desc, i));
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
