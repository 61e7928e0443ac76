//===- DataBytes.cpp - Bytes of a file or in memory -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DataBytes.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

using namespace weir;

StatusOr<DataBytes> DataBytes::open(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(RegularFile file, RegularFile::open(path));
  DataBytes bytes;
  bytes.length = file.size();
  bytes.file = std::make_shared<const RegularFile>(std::move(file));
  return bytes;
}

DataBytes DataBytes::inMemory(std::shared_ptr<const void> owner,
                              std::span<const std::byte> memory) {
  DataBytes bytes;
  bytes.owner = std::move(owner);
  bytes.held = memory.data();
  bytes.length = memory.size();
  return bytes;
}

DataBytes DataBytes::part(uint64_t offset, uint64_t count) const {
  assert(offset <= length && count <= length - offset && "the part is inside");
  DataBytes bytes = *this;
  bytes.begin += file ? offset : 0;
  bytes.held += held ? offset : 0;
  bytes.length = count;
  return bytes;
}

Status DataBytes::read(uint64_t offset, std::span<std::byte> to) const {
  assert(offset <= length && to.size() <= length - offset &&
         "the bytes are inside");
  if (file)
    return file->read(begin + offset, to);
  if (!to.empty())
    std::memcpy(to.data(), held + offset, to.size());
  return Status::ok();
}

StatusOr<std::vector<std::byte>> DataBytes::readFirst(uint64_t most) const {
  try {
    std::vector<std::byte> bytes(std::min(most, length));
    WEIR_RETURN_IF_ERROR(read(0, bytes));
    return bytes;
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  }
}

StatusOr<std::vector<std::byte>> DataBytes::readAll() const {
  return readFirst(length);
}
