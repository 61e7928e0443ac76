//===- Names.h - Names from an artifact, fit for people -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ARTIFACT_NAMES_H
#define WEIR_LIB_ARTIFACT_NAMES_H

#include "weir/Artifact/Schema.h"

#include <string>
#include <string_view>

namespace weir::artifact {

/// The number of elements of `vector`, which may be absent.
template <typename T> uint32_t sizeOf(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// Whether a variable is a bucket of several parameters.
bool isBucket(const Variable &variable);

/// The name of a variable: the name of the bucket, or of its blob.
const flatbuffers::String *nameOf(const Variable &variable, const Model &model);

/// The name of the port, blob or bucket for which `buffer` stands; null for
/// scratch. `buffer` belongs to `entry`.
const flatbuffers::String *nameOf(const Buffer &buffer, const Entry &entry,
                                  const Variant &variant, const Model &model);

/// The name of the role of a queue in texts. The role must be a known one.
std::string_view nameOf(QueueRole role);

/// The result of `weir::printable` for `name`; empty if `name` is absent.
std::string printable(const flatbuffers::String *name);

/// The result of `printable` in quotes, shortened for a message.
std::string quoted(const flatbuffers::String *name);

} // namespace weir::artifact

#endif // WEIR_LIB_ARTIFACT_NAMES_H
