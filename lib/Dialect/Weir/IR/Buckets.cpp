//===- Buckets.cpp - Where parameters lie in a bucket -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Buckets.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/ShapeLimits.h"

#include <array>

using namespace mlir;
using namespace weir;

StatusOr<BucketLayout> weir::layOutBucket(TypeRange types) {
  BucketLayout layout;
  for (Type type : types) {
    layout.offsets.push_back(layout.size);
    const int64_t end =
        layout.size + cast<RankedTensorType>(type).getNumElements();
    layout.size = static_cast<int64_t>(
        alignTo(static_cast<uint64_t>(end), uint64_t(bucketAlignment)));
    // The size is checked after each part, so that the sum never overflows.
    WEIR_RETURN_IF_ERROR(checkShape(std::array{layout.size}, "the bucket"));
  }
  return layout;
}

SmallVector<BucketPart> weir::listParts(BucketOp bucket,
                                        const SymbolTable &symbols) {
  SmallVector<BucketPart> parts;
  SmallVector<Type> types;
  for (auto name : bucket.getParameters().getAsRange<FlatSymbolRefAttr>()) {
    auto parameter = symbols.lookup<ParameterOp>(name.getAttr());
    types.push_back(parameter.getType());
    parts.push_back({name, cast<RankedTensorType>(parameter.getType()), 0});
  }
  const BucketLayout layout = *layOutBucket(types);
  for (auto [part, offset] : llvm::zip(parts, layout.offsets))
    part.offset = offset;
  return parts;
}
