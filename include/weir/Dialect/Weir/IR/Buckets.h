//===- Buckets.h - Where parameters lie in a bucket -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_BUCKETS_H
#define WEIR_DIALECT_WEIR_IR_BUCKETS_H

#include "weir/Support/Status.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

class BucketOp;

/// The alignment of a part of a bucket, in elements. For float types it is at
/// least 32 bytes, so kernels find parts aligned like other tensors.
inline constexpr int64_t bucketAlignment = 16;

/// The offsets of the parts, and the total number of elements.
struct BucketLayout {
  llvm::SmallVector<int64_t> offsets;
  int64_t size = 0;
};

/// The layout of a bucket, or of a pack, whose parts have `types`, of static
/// shape. An error if it is larger than a tensor may be.
StatusOr<BucketLayout> layOutBucket(mlir::TypeRange types);

/// A parameter in a bucket.
struct BucketPart {
  mlir::FlatSymbolRefAttr parameter;
  mlir::RankedTensorType type;
  /// The offset of its first element in the bucket.
  int64_t offset = 0;
};

/// The parts of `bucket`, whose parameters `symbols` has.
llvm::SmallVector<BucketPart> listParts(BucketOp bucket,
                                        const mlir::SymbolTable &symbols);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_BUCKETS_H
