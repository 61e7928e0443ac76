//===- LibraryCode.cpp - Resident code of a loaded library ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/LibraryCode.h"

#include <cstdint>
#include <fstream>
#include <link.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;

namespace {

/// A loaded library's headers.
struct Library {
  uintptr_t base;
  std::span<const ElfW(Phdr)> headers;

  bool holds(uintptr_t address) const;
  bool isRelocatedInPlace() const;
  void release() const;
};

} // namespace

bool Library::holds(uintptr_t address) const {
  for (const ElfW(Phdr) & header : headers)
    if (header.p_type == PT_LOAD && address >= base + header.p_vaddr &&
        address - base - header.p_vaddr < header.p_memsz)
      return true;
  return false;
}

/// Whether the loader has changed its code, which the file does not have so.
bool Library::isRelocatedInPlace() const {
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_DYNAMIC)
      continue;
    const auto *entry =
        reinterpret_cast<const ElfW(Dyn) *>(base + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_TEXTREL ||
          (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
        return true;
  }
  return false;
}

void Library::release() const {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W))
      continue;
    const uintptr_t begin = (base + header.p_vaddr) & ~(page - 1);
    const uintptr_t end = base + header.p_vaddr + header.p_memsz;
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }
}

/// A breakpoint is a changed byte of code, and would be lost.
static bool isTraced() {
  std::ifstream status("/proc/self/status");
  const std::string field = "TracerPid:\t";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return line != field + "0";
  return false;
}

static int visitLibrary(dl_phdr_info *info, size_t, void *address) {
  const Library library{info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
  if (!library.holds(reinterpret_cast<uintptr_t>(address)))
    return 0;
  if (!library.isRelocatedInPlace() && !isTraced())
    library.release();
  return 1;
}

void weir::releaseLibraryCode(const void *address) {
  dl_iterate_phdr(visitLibrary, const_cast<void *>(address));
}
