//===- Metadata.h - What a model's file says about itself -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_METADATA_H
#define WEIR_DIALECT_WEIR_IR_METADATA_H

#include "llvm/ADT/StringRef.h"

namespace weir::attrs {

/// Module: an array of pairs of strings, a key and a value, which the artifact
/// keeps for tools.
inline constexpr llvm::StringLiteral metadata = "weir.metadata";

} // namespace weir::attrs

#endif // WEIR_DIALECT_WEIR_IR_METADATA_H
