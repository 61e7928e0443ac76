//===- Numbers.h - Checks the numbers of textual IR -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser turns a number that its type cannot hold into an infinity. Only
// the text shows whether an infinity was meant.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_NUMBERS_H
#define WEIR_LIB_IMPORT_NUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir {

/// A number that is wrong, at a position of the text.
struct WrongNumber {
  const char *at;
  std::string what;
};

/// The first decimal number in `text` that is too large for its type. `text` is
/// the source text of `op`.
std::optional<WrongNumber> findTooLarge(mlir::Operation *op,
                                        llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_NUMBERS_H
