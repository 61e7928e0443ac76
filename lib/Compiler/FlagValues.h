//===- FlagValues.h - Errors in the flags of LLVM ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_FLAGVALUES_H
#define WEIR_LIB_COMPILER_FLAGVALUES_H

#include "weir/Support/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <string_view>

namespace weir {

/// Checks an argument of the form "--flag=value". The value must not be empty.
/// Options of a pass must have values, too: "--weir-set-devices=devices=" is an
/// error. LLVM treats an option without a value as if it were not given.
Status checkFlagValue(std::string_view argument);

/// Checks the words of a command line with LLVM's flags. The first word is the
/// tool. A flag that needs a value must not be followed by another flag.
Status checkFlagValues(llvm::ArrayRef<const char *> words);

/// The error about a command line that LLVM refuses. `said` is LLVM's message.
std::string describeFlagError(llvm::StringRef said);

} // namespace weir

#endif // WEIR_LIB_COMPILER_FLAGVALUES_H
