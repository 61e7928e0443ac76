//===- CopyElements.h - Strided copies at compile time ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COPYELEMENTS_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COPYELEMENTS_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

namespace weir {

/// Performs `copy` for elements of `elementBytes` bytes (1, 2, 4 or 8). The
/// operand begins at `from`, the result at `to`. A transpose goes tile by tile,
/// so that both sides stay in the cache.
void copyElements(const ElementCopy &copy, size_t elementBytes,
                  const char *from, char *to);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COPYELEMENTS_H
