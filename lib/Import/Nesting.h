//===- Nesting.h - Bounds the nesting of textual IR -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser recurses for every bracket and every minus sign, so deep
// nesting would overflow the stack. A text that is nested too deep is refused
// before it is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_NESTING_H
#define WEIR_LIB_IMPORT_NESTING_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// The most open brackets of one kind, and the most consecutive minus signs.
inline constexpr unsigned maxNesting = 256;

/// The end of the string that begins at `at`: its closing quote, or the end of
/// the line if there is none.
size_t skipString(llvm::StringRef text, size_t at);

/// The end of the string or comment that begins at `at`; `at` if none begins
/// there. A comment ends with its line.
size_t skipStringOrComment(llvm::StringRef text, size_t at);

/// The first position in `text` that is nested deeper than `maxNesting`; npos
/// if there is none. Strings and comments do not count.
size_t findTooDeep(llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_NESTING_H
