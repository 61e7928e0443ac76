//===- Tuples.h - Finds tuples among elements -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser reads (1.0, 2.0) as a complex number. In a tensor of real
// numbers, it then reads memory after the elements. Weir has no complex
// numbers, so such a text is refused before it is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_TUPLES_H
#define WEIR_LIB_IMPORT_TUPLES_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// The first '(' among the elements of a `dense<...>` or `sparse<...>` in
/// `text`; npos if there is none. Strings and comments do not count.
size_t findTuple(llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_TUPLES_H
