//===- BuildIdentity.cpp - What identifies the running compiler -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code depends on the sources of the code generator, and also on the
// compiler, its flags, headers, and the LLVM that is loaded. So a hash of the
// sources would not suffice. Linkers put the build ID into each file: a hash of
// everything that they have linked. The build ID is in memory, so it is cheap
// to read. Other files that the process has loaded do not count. These are
// plug-ins, and the libraries of a program that embeds Weir.
//
//===----------------------------------------------------------------------===//

#include "weir/Cache/UserCache.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/SystemError.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <link.h>
#include <string_view>
#include <sys/stat.h>

using namespace weir;

/// The build ID in notes of `size` bytes at `notes`, or an empty text.
static std::string_view findBuildId(const char *notes, size_t size) {
  constexpr char owner[] = "GNU";
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    const size_t name = sizeof(note);
    const size_t contents = name + alignTo(note.n_namesz, 4);
    const size_t end = contents + alignTo(note.n_descsz, 4);
    if (end > size)
      return {};
    if (note.n_type == NT_GNU_BUILD_ID &&
        std::string_view(notes + name, note.n_namesz) ==
            std::string_view(owner, sizeof(owner)))
      return {notes + contents, note.n_descsz};
    notes += end;
    size -= end;
  }
  return {};
}

static std::string_view findBuildId(const dl_phdr_info &object) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    // Some linkers put the build ID behind notes that are aligned to 8 bytes.
    // The sizes of these notes are multiples of 8.
    if (part.p_type != PT_NOTE)
      continue;
    const std::string_view found = findBuildId(
        reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr),
        part.p_memsz);
    if (!found.empty())
      return found;
  }
  return {};
}

namespace {
struct Identity {
  std::string text;
  Status status;
};
} // namespace

StatusOr<std::string> weir::identifyFile(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return systemError(fmt::format("cannot identify the file '{}'", path));
  return fmt::format("{}:{}:{}:{}.{}", path, info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// Whether the program or library contains this function.
static bool isThisObject(const dl_phdr_info &object) {
  const auto ownAddress = reinterpret_cast<ElfW(Addr)>(&isThisObject);
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && ownAddress >= begin &&
        ownAddress - begin < part.p_memsz)
      return true;
  }
  return false;
}

/// Whether generated code depends on the object. It depends on the object that
/// generates it, and on libraries that fold constants or generate machine code.
static bool makesCode(const dl_phdr_info &object) {
  constexpr std::string_view libraries[] = {"libWeir", "libMLIR", "libLLVM",
                                            "libm.", "libc."};
  const std::string_view path = object.dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return isThisObject(object) ||
         std::ranges::any_of(libraries, [&](std::string_view library) {
           return name.starts_with(library);
         });
}

/// Called for each loaded file.
static int addObject(dl_phdr_info *object, size_t /*size*/, void *data) {
  auto &identity = *static_cast<Identity *>(data);
  if (!makesCode(*object))
    return 0;
  if (std::string_view id = findBuildId(*object); !id.empty()) {
    for (char digit : id)
      identity.text += fmt::format("{:02x}", static_cast<unsigned char>(digit));
    identity.text += ';';
    return 0;
  }
  auto file = identifyFile(object->dlpi_name[0] == '\0' ? "/proc/self/exe"
                                                        : object->dlpi_name);
  identity.status = file.status();
  if (!file.isOk())
    return 1;
  identity.text += *file + ';';
  return 0;
}

StatusOr<std::string> weir::identifyBuild() {
  Identity identity;
  dl_iterate_phdr(addObject, &identity);
  WEIR_RETURN_IF_ERROR(identity.status);
  return identity.text;
}
