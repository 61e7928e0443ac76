//===- MappedFile.cpp - A file's bytes in memory -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/MappedFile.h"

#include "weir/Support/Printable.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/SystemError.h"

#include <fmt/format.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace weir;

namespace {
StatusOr<std::byte *> mapAnonymous(size_t bytes) {
  void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return systemError(fmt::format("cannot allocate {} bytes", bytes));
  return static_cast<std::byte *>(memory);
}
} // namespace

StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  if (path == "-")
    return readStandardInput();
  WEIR_ASSIGN_OR_RETURN(const RegularFile file, RegularFile::open(path));
  const auto size = static_cast<size_t>(file.size());
  if (size == 0)
    return MappedFile(nullptr, 0, 0);
  void *memory =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED)
    return systemError(fmt::format("cannot map '{}'", path));
  return MappedFile(static_cast<std::byte *>(memory), size, size);
}

StatusOr<MappedFile> MappedFile::read(const std::string &path) {
  if (path == "-")
    return readStandardInput();
  WEIR_ASSIGN_OR_RETURN(const RegularFile file, RegularFile::open(path));
  WEIR_ASSIGN_OR_RETURN(MappedFile memory, zeros(file.size()));
  WEIR_RETURN_IF_ERROR(
      file.read(0, memory.writable())
          .withContext(fmt::format("cannot read '{}'", printable(path))));
  return memory;
}

StatusOr<MappedFile> MappedFile::copyOf(std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(MappedFile copy, zeros(bytes.size()));
  if (!bytes.empty())
    std::memcpy(copy.data, bytes.data(), bytes.size());
  return copy;
}

StatusOr<MappedFile> MappedFile::zeros(size_t bytes) {
  if (bytes == 0)
    return MappedFile(nullptr, 0, 0);
  WEIR_ASSIGN_OR_RETURN(std::byte * memory, mapAnonymous(bytes));
  return MappedFile(memory, bytes, bytes);
}

StatusOr<MappedFile> MappedFile::readStandardInput() {
  constexpr size_t firstBytes = size_t(1) << 20;
  WEIR_ASSIGN_OR_RETURN(std::byte * memory, mapAnonymous(firstBytes));
  MappedFile file(memory, 0, firstBytes);
  while (true) {
    if (file.size == file.mapped)
      WEIR_RETURN_IF_ERROR(file.grow());
    ssize_t count =
        ::read(STDIN_FILENO, file.data + file.size, file.mapped - file.size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot read standard input");
    if (count == 0)
      return file;
    file.size += static_cast<size_t>(count);
  }
}

Status MappedFile::grow() {
  void *memory = ::mremap(data, mapped, mapped * 2, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED)
    return systemError("cannot hold standard input in memory");
  data = static_cast<std::byte *>(memory);
  mapped *= 2;
  return Status::ok();
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data(std::exchange(other.data, nullptr)),
      size(std::exchange(other.size, 0)),
      mapped(std::exchange(other.mapped, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  std::swap(mapped, other.mapped);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped)
    ::munmap(data, mapped);
}
