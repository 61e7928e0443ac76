//===- LibraryFile.cpp - Checks the file of a shared library --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/LibraryFile.h"

#include "weir/Support/RegularFile.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <span>
#include <vector>

using namespace weir;

/// The number of bytes that the file must have. All parts that the loader maps
/// end at or before this number.
static StatusOr<uint64_t> findEnd(const RegularFile &file,
                                  const Elf64_Ehdr &header) {
  std::vector<Elf64_Phdr> parts(header.e_phnum);
  const auto bytes = std::as_writable_bytes(std::span(parts));
  uint64_t end = header.e_phoff + bytes.size();
  if (end < header.e_phoff || end > file.size())
    return end;
  WEIR_RETURN_IF_ERROR(file.read(header.e_phoff, bytes));
  for (const Elf64_Phdr &part : parts)
    if (part.p_type == PT_LOAD || part.p_type == PT_DYNAMIC)
      end = std::max(end, part.p_offset + part.p_filesz);
  return end;
}

Status weir::checkLibraryFile(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(RegularFile file, RegularFile::open(path));
  Elf64_Ehdr header;
  if (file.size() < sizeof(header))
    return invalidArgument(fmt::format(
        "it has {} bytes, so it is no shared object; copy or build it again",
        file.size()));
  WEIR_RETURN_IF_ERROR(
      file.read(0, std::as_writable_bytes(std::span(&header, 1))));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return invalidArgument("it is no shared object, since it has no ELF "
                           "header; copy or build it again");
  // Other kinds of files need no check, because the loader refuses them by
  // their first bytes.
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(const uint64_t end, findEnd(file, header));
  if (end > file.size())
    return dataLoss(
        fmt::format("it is cut off: it has {} bytes and needs {}; copy or "
                    "build it again",
                    file.size(), end));
  return Status::ok();
}
