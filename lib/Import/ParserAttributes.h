//===- ParserAttributes.h - Errors about values of attributes ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_PARSERATTRIBUTES_H
#define WEIR_LIB_IMPORT_PARSERATTRIBUTES_H

#include "ParserPlace.h"

#include "mlir/IR/MLIRContext.h"

namespace weir::parsing {

/// Rewords the error "attribute 'axis' failed to satisfy constraint: ...".
/// `place` is the place of the attributes, or of the op that has them.
std::string describeAttribute(mlir::StringRef text, const Place &place,
                              mlir::MLIRContext *context);

} // namespace weir::parsing

#endif // WEIR_LIB_IMPORT_PARSERATTRIBUTES_H
