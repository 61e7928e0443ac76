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

/// What a tool writes: "IR", in files that end in ".mlir".
struct OutputKind {
  std::string_view what;
  std::string_view ending;
};

/// An error if `path`, to which `flag` writes `kind`, ends like files of
/// another kind: one may be meant that is read, or that another flag writes.
Status checkOutputEnding(std::string_view flag, const std::string &path,
                         const OutputKind &kind);

/// An error if `path`, the value of `flag`, is a word such as "json" or "off",
/// by which a mode is meant rather than a file. `repair` says what to give.
Status checkNoMode(std::string_view flag, const std::string &path,
                   std::string_view repair);

} // namespace weir

#endif // WEIR_SUPPORT_OUTPUTNAMES_H
