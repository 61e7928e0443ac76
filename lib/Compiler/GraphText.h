//===- GraphText.h - Reads the text of graphs -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_GRAPHTEXT_H
#define WEIR_LIB_COMPILER_GRAPHTEXT_H

#include "weir/Support/Status.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace weir {

/// The phases whose text can be compiled. This text is a part of errors about
/// other phases.
inline constexpr llvm::StringLiteral compiledPhases =
    "graph-compile compiles what --emit=import, lifted and graph print, and "
    "graph-opt runs passes on the rest";

/// The text in the file `path` ("-": standard input). An output of Weir's tools
/// that is not a graph, such as an artifact, is an error.
StatusOr<std::unique_ptr<llvm::MemoryBuffer>>
readGraphText(const std::string &path);

} // namespace weir

#endif // WEIR_LIB_COMPILER_GRAPHTEXT_H
