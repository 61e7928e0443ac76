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
  /// The kind of the file: "a numpy array (.npy)".
  std::string_view what;
  /// The advice to the user: how to get a graph, or what the file is for.
  std::string_view repair;
};

/// The kind of the file that begins with `bytes`, if users often give such
/// files in place of a graph. Nothing for graphs and for unknown files.
std::optional<ForeignFile> recogniseForeign(std::string_view bytes);

} // namespace weir

#endif // WEIR_LIB_IMPORT_FOREIGNFILE_H
