//===- BuildIdentity.cpp - What identifies the running compiler -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A hash of the code generator's sources would miss what else decides on code:
// the compiler and its flags, headers, and the LLVM that is loaded. Linkers put
// a hash of all they have linked into each file, the build ID. It costs nothing
// to read, because it is in memory.
//
//===----------------------------------------------------------------------===//

#include "weir/Cache/UserCache.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/SystemError.h"

#include <cstring>
#include <fmt/format.h>
#include <link.h>
#include <string_view>
#include <sys/stat.h>

using namespace weir;

/// The build ID in the notes of `size` bytes at `notes`, or nothing.
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
    // Other notes are aligned to 8 bytes, and have a part of their own.
    if (part.p_type != PT_NOTE || part.p_align > 4)
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

/// What stands for a file without a build ID.
static Status addFile(const std::string &path, std::string &text) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return systemError(
        fmt::format("cannot identify the loaded file '{}'", path));
  text += fmt::format("{}:{}:{}:{}.{};", path, info.st_ino, info.st_size,
                      info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  return Status::ok();
}

/// Called for each loaded file.
static int addObject(dl_phdr_info *object, size_t /*size*/, void *data) {
  auto &identity = *static_cast<Identity *>(data);
  if (std::string_view id = findBuildId(*object); !id.empty()) {
    for (char digit : id)
      identity.text += fmt::format("{:02x}", static_cast<unsigned char>(digit));
    identity.text += ';';
    return 0;
  }
  const std::string path =
      object->dlpi_name[0] == '\0' ? "/proc/self/exe" : object->dlpi_name;
  if (path[0] != '/')
    return 0; // What the kernel maps is no file.
  identity.status = addFile(path, identity.text);
  return identity.status.isOk() ? 0 : 1;
}

StatusOr<std::string> weir::identifyBuild() {
  Identity identity;
  dl_iterate_phdr(addObject, &identity);
  WEIR_RETURN_IF_ERROR(identity.status);
  return identity.text;
}
