//===- Resources.h - Checks the resources of textual IR ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser aborts on some resources. If two resources have one key, it
// silently keeps the last one. Texts with such resources are refused before
// they are parsed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_RESOURCES_H
#define WEIR_LIB_IMPORT_RESOURCES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir {

/// A resource that is wrong, at a position of the text.
struct WrongResource {
  size_t at;
  std::string what;
};

/// The first wrong resource in the sections {-# ... #-} of `text`. It has an
/// alignment of 0, or the same key as an earlier resource.
std::optional<WrongResource> findWrongResource(llvm::StringRef text);

} // namespace weir

#endif // WEIR_LIB_IMPORT_RESOURCES_H
