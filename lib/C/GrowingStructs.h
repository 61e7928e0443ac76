//===- GrowingStructs.h - Structs that begin with their size ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A caller may have been compiled with an older or a newer header, so it passes
// the size of its struct. A member that one side lacks is zero, which means the
// default. Structs have no padding, because its bytes could have any value. A
// later version may replace reserved bytes by a member. StructLayouts.cpp
// checks that the members stay in their places.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_C_GROWINGSTRUCTS_H
#define WEIR_LIB_C_GROWINGSTRUCTS_H

#include "LastError.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace weir::c {

/// The size of a struct in version 0.1.
template <typename Struct> inline constexpr size_t firstSize = 0;
template <> inline constexpr size_t firstSize<weir_session_options> = 56;
template <> inline constexpr size_t firstSize<weir_device> = 72;
template <> inline constexpr size_t firstSize<weir_run_options> = 24;
template <> inline constexpr size_t firstSize<weir_port> = 64;
template <> inline constexpr size_t firstSize<weir_variable> = 48;

/// Whether the current struct is compatible with the struct of version 0.1.
template <typename Struct> constexpr bool canGrow() {
  static_assert(firstSize<Struct> != 0);
  return sizeof(Struct) >= firstSize<Struct> &&
         std::has_unique_object_representations_v<Struct>;
}

/// Refuses sizes that no version of the struct `name` has.
Status checkStructSize(size_t size, size_t smallest, const char *name);
/// Refuses bytes from `begin` to `end` that are not zero. They are members that
/// this library does not know.
Status checkUnknownMembers(const void *given, size_t begin, size_t end,
                           const char *name);

/// Reads the struct at `given`. If `given` is null, `read` gets the defaults.
template <typename Struct>
Status readStruct(const Struct *given, const char *name, Struct &read) {
  static_assert(canGrow<Struct>());
  read = {};
  if (!given)
    return Status::ok();
  const size_t size = given->size;
  WEIR_RETURN_IF_ERROR(checkStructSize(size, firstSize<Struct>, name));
  WEIR_RETURN_IF_ERROR(checkUnknownMembers(given, sizeof(Struct), size, name));
  std::memcpy(&read, given, std::min(size, sizeof(Struct)));
  if constexpr (requires { read.reserved; })
    return checkUnknownMembers(read.reserved, 0, sizeof(read.reserved), name);
  return Status::ok();
}

/// Writes as much of `from` to `to` as fits into the caller's struct.
template <typename Struct>
Status writeStruct(Struct from, const char *name, Struct *to) {
  static_assert(canGrow<Struct>());
  const size_t size = to->size;
  WEIR_RETURN_IF_ERROR(checkStructSize(size, firstSize<Struct>, name));
  from.size = size;
  std::memcpy(to, &from, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(reinterpret_cast<char *>(to) + sizeof(Struct), 0,
                size - sizeof(Struct));
  return Status::ok();
}

} // namespace weir::c

#endif // WEIR_LIB_C_GROWINGSTRUCTS_H
