//===- ParameterFiles.h - The files that parameters are read from ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// In a text, the files of parameters are relative to the folder of the text. In
// a module in memory, they are relative to the folder of its source.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_PARAMETERFILES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_PARAMETERFILES_H

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/FileUses.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

namespace attrs {
/// An attribute of a parameter whose bytes are at an offset of a file: the
/// `hashContent` of these bytes.
inline constexpr llvm::StringLiteral contentHash = "weir.content_hash";
/// Module, until weir-read-weights: the names of the weights that are
/// constants, because the file of --weights does not have them. An array of
/// strings.
inline constexpr llvm::StringLiteral keptWeights = "weir.kept_weights";
} // namespace attrs

/// The path of the file of `parameter`, which must have one.
std::string getParameterPath(ParameterOp parameter);

/// Records in `uses` that the files of all parameters of `module` are read.
void addParameterFiles(mlir::ModuleOp module, FileUses &uses);

/// Makes all file names relative to the folder of `output`, the path at which
/// the text will be. They become absolute if that is unknown, as for standard
/// output.
void nameFilesFrom(const std::string &output, mlir::ModuleOp module);

/// A short hash of `bytes` as text, the same on all machines.
std::string hashContent(std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_PARAMETERFILES_H
