//===- OutputNames.h - Checks the names of files to write -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_OUTPUTNAMES_H
#define WEIR_SUPPORT_OUTPUTNAMES_H

#include "weir/Support/Status.h"

#include <string>
#include <string_view>

namespace weir {

/// The kind of an output: "IR", in files that end in ".mlir".
struct OutputKind {
  std::string_view what;
  std::string_view ending;
};

/// Refuses `path`, to which `flag` writes `kind`, if it ends like files of
/// another kind. Such a path was probably meant for an input or for another
/// flag.
Status checkOutputEnding(std::string_view flag, const std::string &path,
                         const OutputKind &kind);

/// Refuses `path`, the value of `flag`, if it is a word such as "json" or
/// "off", which probably means a mode and not a file. `repair` says what to
/// give instead.
Status checkNoMode(std::string_view flag, const std::string &path,
                   std::string_view repair);

} // namespace weir

#endif // WEIR_SUPPORT_OUTPUTNAMES_H
