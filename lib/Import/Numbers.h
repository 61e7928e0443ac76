//===- Numbers.h - Checks the numbers of textual IR -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser makes an infinity of a number that its type cannot hold. Only
// the text tells that from an infinity that is meant.
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

/// The first decimal number in `text`, that of `op`, which is too large for its
/// type.
std::optional<WrongNumber> findTooLarge(mlir::Operation *op,
                                        llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_NUMBERS_H
