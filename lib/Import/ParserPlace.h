//===- ParserPlace.h - The text at an error of the parser -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_PARSERPLACE_H
#define WEIR_LIB_IMPORT_PARSERPLACE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir::parsing {

/// The text around the place of an error.
struct Place {
  /// The text from the place on, after spaces and comments.
  mlir::StringRef rest;
  /// The text in front of the place.
  mlir::StringRef before;
};

/// `text` without the spaces and comments at its beginning.
mlir::StringRef skipSpaces(mlir::StringRef text);

/// The first word, string or sign of `text`, including its angle brackets:
/// "tensor<2xf32>".
mlir::StringRef takeToken(mlir::StringRef text);

/// The letters, digits and '_' at the beginning of `text`, if it begins with a
/// letter.
mlir::StringRef takeWord(mlir::StringRef text);

/// Whether `text` begins with a number, which may have a sign.
bool beginsNumber(mlir::StringRef text);

/// The part of `text` behind `begin`, up to `end`.
mlir::StringRef getBetween(mlir::StringRef text, mlir::StringRef begin,
                           mlir::StringRef end);

/// The end of an error at `place`: ", found 'x'", or a text for the end of the
/// input.
std::string describeFound(const Place &place);

} // namespace weir::parsing

#endif // WEIR_LIB_IMPORT_PARSERPLACE_H
