//===- GrowingStructs.cpp - Structs that begin with their size --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GrowingStructs.h"

#include <fmt/format.h>

using namespace weir;

/// The structs of all versions are smaller than this. A caller that passes a
/// larger size has not set the member `size`.
static constexpr size_t largestStruct = 1024;

Status c::checkStructSize(size_t size, size_t smallest, const char *name) {
  if (size >= smallest && size <= largestStruct) [[likely]]
    return Status::ok();
  return invalidArgument(fmt::format(
      "the size of a {0} is {1}, which none has; set it to sizeof({0})", name,
      size));
}

Status c::checkUnknownMembers(const void *given, size_t begin, size_t end,
                              const char *name) {
  const auto *bytes = static_cast<const unsigned char *>(given);
  for (size_t i = begin; i < end; ++i)
    if (bytes[i] != 0)
      return unimplemented(
          fmt::format("a {} sets a member that Weir {} does not have; leave it "
                      "at zero, or use a newer library",
                      name, weir_version()));
  return Status::ok();
}
