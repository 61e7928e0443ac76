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

/// The error about a text that is not a value, or that is a value of the wrong
/// form.
std::string describeMissingValue(const Place &place,
                                 mlir::MLIRContext *context);

/// Whether `place` is in the line that declares a function.
bool isInDeclaration(const Place &place);

/// Whether `place` is among the arguments of a function's declaration.
bool isInArguments(const Place &place);

/// The error about a word after the declaration of a parameter; empty if there
/// is no declaration before `place`.
std::string describeBehindParameter(const Place &place);

/// Rewords the error `text`, which begins with "expected". The result also says
/// what was found.
std::string describeExpected(mlir::StringRef text, const Place &place,
                             mlir::MLIRContext *context);

} // namespace weir::parsing

#endif // WEIR_LIB_IMPORT_PARSEREXPECTED_H
