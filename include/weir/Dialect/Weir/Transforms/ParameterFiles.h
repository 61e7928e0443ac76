//===- ParameterFiles.h - The files that parameters are read from ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A text names the files of its parameters relative to its own folder. The
// module in memory names them relative to the folder of what it was read from.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFILES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFILES_H

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

namespace attrs {
/// Parameter at an offset of a file: what `hashContent` says of its bytes.
inline constexpr llvm::StringLiteral contentHash = "weir.content_hash";
} // namespace attrs

/// Where the file of `parameter`, which has one, is.
std::string getParameterPath(ParameterOp parameter);

/// Names all files so that they are found from a text at the path `output`;
/// absolutely for one of no known place: standard output, or none.
void nameFilesFrom(const std::string &output, mlir::ModuleOp module);

/// A short text that other bytes do not have, the same on all machines.
std::string hashContent(std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFILES_H
