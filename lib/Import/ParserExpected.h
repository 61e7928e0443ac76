//===- ParserExpected.h - What the parser of a text expected ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_PARSEREXPECTED_H
#define WEIR_LIB_IMPORT_PARSEREXPECTED_H

#include "ParserPlace.h"

#include "mlir/IR/MLIRContext.h"

namespace weir::parsing {

/// The element types of Weir: "f32, f16, ...".
std::string listElementTypes(mlir::MLIRContext *context);

/// An error about something that is no value, or none of the form that is
/// needed there.
std::string describeMissingValue(const Place &place,
                                 mlir::MLIRContext *context);

/// Whether `place` is in the line that declares a function.
bool isInDeclaration(const Place &place);

/// Whether `place` is among the arguments of a function's declaration.
bool isInArguments(const Place &place);

/// An error about a word behind the declaration of a parameter; empty if there
/// is none in front of `place`.
std::string describeBehindParameter(const Place &place);

/// The error `text`, which begins with "expected", in our words and with what
/// was found.
std::string describeExpected(mlir::StringRef text, const Place &place,
                             mlir::MLIRContext *context);

} // namespace weir::parsing

#endif // WEIR_LIB_IMPORT_PARSEREXPECTED_H
