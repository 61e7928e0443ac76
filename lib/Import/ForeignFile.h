//===- ForeignFile.h - Recognises files that are not graphs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_FOREIGNFILE_H
#define WEIR_LIB_IMPORT_FOREIGNFILE_H

#include "weir/Support/FileKind.h"

#include <optional>
#include <string_view>

namespace weir {

struct ForeignFile {
  /// "a numpy array (.npy)".
  std::string_view what;
  /// How to get a graph instead, or what the file is for.
  std::string_view repair;
};

/// Recognises a file by its first bytes, if it is of a kind that is often given
/// by mistake instead of a graph. Nothing for text and unknown files.
std::optional<ForeignFile> recogniseForeign(std::string_view bytes);

} // namespace weir

#endif // WEIR_LIB_IMPORT_FOREIGNFILE_H
