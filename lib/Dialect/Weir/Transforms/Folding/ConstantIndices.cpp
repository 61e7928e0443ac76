//===- ConstantIndices.cpp - Indices that are known while compiling -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/ConstantIndices.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ElementWalk.h"

#include <string>

using namespace mlir;
using namespace weir;

LogicalResult weir::checkIndices(WeirOpInterface op,
                                 const IndexOperand &indices,
                                 TensorBytes values) {
  auto type = cast<RankedTensorType>(op->getOperand(indices.number).getType());
  const TensorDesc desc = toTensorDesc(type);
  const bool isUnsigned = weir::isUnsigned(desc.type);
  ElementWalk walk(desc.dims, desc.strides);
  for (int64_t i = 0; !walk.atEnd(); ++i, walk.next()) {
    const IndexRange range =
        indices.rangeAt(static_cast<size_t>(i), isUnsigned);
    int64_t index = loadInt(desc.type, values.data(), walk.offset());
    if (range.contains(index))
      continue;
    return op.emitOpError("'")
           << weir::getOpName(op)
           << (indices.ignored ? "': label " : "': index ")
           << (isUnsigned ? std::to_string(static_cast<uint64_t>(index))
                          : std::to_string(index))
           << ", element " << i << " of operand " << indices.number
           << ", is out of range for a dim of " << range.size << ", expected "
           << range.toString() << "; correct the index";
  }
  return success();
}
