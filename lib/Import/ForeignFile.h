//===- ForeignFile.h - What a file is that is no graph ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_FOREIGNFILE_H
#define WEIR_LIB_IMPORT_FOREIGNFILE_H

#include <optional>
#include <string_view>

namespace weir {

struct ForeignFile {
  /// "a numpy array (.npy)".
  std::string_view what;
  /// How to come to a graph, or what the file is for.
  std::string_view repair;
};

/// What a file with `bytes` is, by how it begins, if it is of a kind that is
/// often given in place of a graph. None for text and for what is not known.
std::optional<ForeignFile> recogniseForeign(std::string_view bytes);

/// Whether `bytes` begin as no text does.
bool isBinary(std::string_view bytes);

} // namespace weir

#endif // WEIR_LIB_IMPORT_FOREIGNFILE_H
