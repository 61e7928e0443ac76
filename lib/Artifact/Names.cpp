//===- Names.cpp - Names from an artifact, safe to print --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "weir/Artifact/Convert.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

bool weir::artifact::isBucket(const Variable &variable) {
  return sizeOf(variable.parts()) > 0;
}

const flatbuffers::String *weir::artifact::nameOf(const Variable &variable,
                                                  const Model &model) {
  return isBucket(variable) ? variable.name()
                            : model.blobs()->Get(variable.blob())->name();
}

const flatbuffers::String *weir::artifact::nameOf(const Buffer &buffer,
                                                  const Entry &entry,
                                                  const Variant &variant,
                                                  const Model &model) {
  switch (buffer.kind()) {
  case BufferKind::Input:
    return entry.inputs()->Get(buffer.index())->name();
  case BufferKind::Output:
    return entry.outputs()->Get(buffer.index())->name();
  case BufferKind::Parameter:
    return model.blobs()->Get(buffer.index())->name();
  case BufferKind::Variable:
    return nameOf(*variant.variables()->Get(buffer.index()), model);
  case BufferKind::Scratch:
    return nullptr;
  }
  return nullptr;
}

std::string_view weir::artifact::nameOf(QueueRole role) {
  return toString(toQueueRole(role));
}

std::string weir::artifact::printable(const flatbuffers::String *name) {
  return name ? weir::printable(name->string_view()) : std::string();
}

std::string weir::artifact::quoted(const flatbuffers::String *name) {
  constexpr size_t maxShown = 64;
  const std::string_view whole = name ? name->string_view() : "";
  // The name is shortened first, because `printable` then replaces a character
  // that was cut in two.
  return fmt::format("'{}{}'", weir::printable(whole.substr(0, maxShown)),
                     whole.size() > maxShown ? "..." : "");
}
