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

/// The phases whose text is compiled, for errors about the text of others.
inline constexpr llvm::StringLiteral compiledPhases =
    "graph-compile compiles what --emit=import, lifted and graph print, and "
    "graph-opt runs passes on the rest";

/// The text in the file `path` ("-": standard input). It is an error if it is
/// an output of Weir's tools that is no graph.
StatusOr<std::unique_ptr<llvm::MemoryBuffer>>
readGraphText(const std::string &path);

} // namespace weir

#endif // WEIR_LIB_COMPILER_GRAPHTEXT_H
