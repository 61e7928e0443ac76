//===- Nesting.h - Bounds how deep textual IR nests -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser calls itself for every bracket and every sign, and a text of
// nothing else would overflow the stack: such a text is refused before it is
// parsed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_NESTING_H
#define WEIR_LIB_IMPORT_NESTING_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// How many brackets of one kind may be open at once, and how many signs may
/// follow each other.
inline constexpr unsigned maxNesting = 256;

/// The place in `text` that nests deeper than `maxNesting`; npos if none does.
/// Strings and comments do not count.
size_t findTooDeep(llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_NESTING_H
