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

/// Checks an argument of the form "--flag=value". Neither the value may be
/// empty, nor that of an option in it: "--weir-set-devices=devices=". LLVM
/// takes such options for those that are not given.
Status checkFlagValue(std::string_view argument);

/// Checks the words of a command line whose flags are LLVM's. The first word is
/// the tool. A flag that needs a value may not be followed by another flag.
Status checkFlagValues(llvm::ArrayRef<const char *> words);

/// What LLVM has `said` of a command line that it refuses, in our words.
std::string describeFlagError(llvm::StringRef said);

} // namespace weir

#endif // WEIR_LIB_COMPILER_FLAGVALUES_H
