//===- SharedObjectCheck.cpp - Checks a shared object before loading ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The system's loader trusts its input. The artifact's checksum detects damage.
// This check detects headers on which the loader would crash, and code that
// would run while it is loaded: kernels run only when they are launched.
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <limits>

using namespace weir;

static Status damaged(std::string_view what) {
  return dataLoss(fmt::format("generated code is not a shared object that can "
                              "be loaded: {}; compile the model again",
                              what));
}

/// The table entry `index` of type `T` at `offset`, if it is inside of `bytes`.
template <typename T>
static bool read(std::span<const std::byte> bytes, uint64_t offset,
                 uint64_t index, T &value) {
  const uint64_t begin = offset + index * sizeof(T);
  if (offset > bytes.size() || begin < offset || bytes.size() < sizeof(T) ||
      begin > bytes.size() - sizeof(T))
    return false;
  std::memcpy(&value, bytes.data() + begin, sizeof(T));
  return true;
}

static Status checkHeader(const Elf64_Ehdr &header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return damaged("it has no ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    return damaged("it is not a 64-bit little-endian shared object");
#if defined(__x86_64__)
  if (header.e_machine != EM_X86_64)
    return damaged("it is for another processor");
#else
  return damaged("it is for another processor");
#endif
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0)
    return damaged("it has no program headers");
  return Status::ok();
}

/// Why kernels have no entry of this kind in their dynamic section; empty if
/// they may have it.
static std::string_view whyNot(const Elf64_Dyn &entry) {
  switch (entry.d_tag) {
  case DT_NULL:
  case DT_HASH:
  case DT_STRTAB:
  case DT_STRSZ:
  case DT_SYMTAB:
  case DT_SYMENT:
  case DT_RELA:
  case DT_RELASZ:
  case DT_RELAENT:
  case DT_RELACOUNT:
  case DT_JMPREL:
  case DT_PLTRELSZ:
  case DT_PLTREL:
  case DT_SONAME:
  case DT_FLAGS:
  case DT_FLAGS_1:
    return {};
  case DT_INIT:
  case DT_FINI:
  case DT_INIT_ARRAY:
  case DT_INIT_ARRAYSZ:
  case DT_FINI_ARRAY:
  case DT_FINI_ARRAYSZ:
  case DT_PREINIT_ARRAY:
    return "it has functions that run when it is loaded";
  case DT_NEEDED:
  case DT_AUXILIARY:
  case DT_FILTER:
    return "it needs other libraries";
  default:
    return "its dynamic section has what kernels do not need";
  }
}

/// Where the file has the bytes at `address`, if it has all `size` of them and
/// the loader maps them read-only, so that no relocation changes them. More
/// than the file has otherwise.
static uint64_t findInFile(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, uint64_t address,
                           uint64_t size) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (read(bytes, header.e_phoff, i, part) && part.p_type == PT_LOAD &&
        !(part.p_flags & PF_W) && address >= part.p_vaddr &&
        address - part.p_vaddr <= part.p_filesz &&
        size <= part.p_filesz - (address - part.p_vaddr))
      return part.p_offset + (address - part.p_vaddr);
  }
  return std::numeric_limits<uint64_t>::max();
}

/// Checks the table of relocations at `address`. All must be relative ones. The
/// loader resolves others by looking up names, or by calling functions.
static Status checkRelocations(std::span<const std::byte> bytes,
                               const Elf64_Ehdr &header, uint64_t address,
                               uint64_t size) {
  const uint64_t offset = findInFile(bytes, header, address, size);
  if (size % sizeof(Elf64_Rela))
    return damaged("it has a part of a relocation");
  for (uint64_t r = 0; r < size / sizeof(Elf64_Rela); ++r) {
    Elf64_Rela relocation;
    if (!read(bytes, offset, r, relocation))
      return damaged("its relocations are outside of it");
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
      return damaged(fmt::format("it has a relocation of type {}; kernels "
                                 "have only relative ones",
                                 ELF64_R_TYPE(relocation.r_info)));
  }
  return Status::ok();
}

/// Finds the number of symbols that a look-up in the hash table at `address`
/// can reach. Returns false if it would read outside of the table, or not end.
static bool countSymbols(std::span<const std::byte> bytes,
                         const Elf64_Ehdr &header, uint64_t address,
                         uint64_t &count) {
  // The numbers of buckets and of symbols; then the first symbol of each
  // bucket, and the next one of each symbol.
  uint32_t head[2];
  const uint64_t offset = findInFile(bytes, header, address, sizeof(head));
  for (uint64_t i = 0; i < 2; ++i)
    if (!read(bytes, offset, i, head[i]))
      return false;
  const uint64_t numBuckets = head[0], words = 2 + numBuckets + head[1];
  if (numBuckets == 0 ||
      findInFile(bytes, header, address, words * sizeof(uint32_t)) != offset)
    return false;
  count = head[1];
  for (uint64_t i = 2; i < words; ++i) {
    uint32_t symbol = 0;
    // Linkers add a symbol at the front of its list.
    const uint64_t end = i < 2 + numBuckets ? count : i - 2 - numBuckets;
    if (!read(bytes, offset, i, symbol) || (symbol != 0 && symbol >= end))
      return false;
  }
  return true;
}

/// Checks the symbols at `symbols` that a look-up in the hash table at `names`
/// can find. The loader calls the function of an indirect symbol to learn its
/// address.
static Status checkSymbols(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, uint64_t symbols,
                           uint64_t names) {
  uint64_t count = 0;
  if (!countSymbols(bytes, header, names, count))
    return damaged("its table of names is not valid");
  const uint64_t offset =
      findInFile(bytes, header, symbols, count * sizeof(Elf64_Sym));
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    if (!read(bytes, offset, i, symbol))
      return damaged("its symbols are outside of it");
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type > STT_FILE)
      return damaged(fmt::format(
          "it has a symbol of type {}; kernels have only functions and objects",
          type));
  }
  return Status::ok();
}

/// Whether the loader sees the bytes of `part` where the file has them.
static bool isMapped(std::span<const std::byte> bytes, const Elf64_Ehdr &header,
                     const Elf64_Phdr &part) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr load;
    if (read(bytes, header.e_phoff, i, load) && load.p_type == PT_LOAD &&
        part.p_offset >= load.p_offset &&
        part.p_offset - load.p_offset <= load.p_filesz &&
        part.p_filesz <= load.p_filesz - (part.p_offset - load.p_offset))
      return part.p_vaddr - load.p_vaddr == part.p_offset - load.p_offset;
  }
  return false;
}

/// Checks that the dynamic section is terminated, needs no other library, and
/// lets the loader call nothing.
static Status checkDynamic(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, const Elf64_Phdr &part) {
  if (!isMapped(bytes, header, part))
    return damaged("its dynamic section is not where the loader looks for it");
  uint64_t tables[2] = {}, sizes[2] = {}, symbols = 0, names = 0;
  for (uint64_t i = 0; i < part.p_filesz / sizeof(Elf64_Dyn); ++i) {
    Elf64_Dyn entry;
    if (!read(bytes, part.p_offset, i, entry))
      break;
    if (entry.d_tag == DT_NULL) {
      for (int table = 0; table < 2; ++table)
        if (sizes[table])
          WEIR_RETURN_IF_ERROR(
              checkRelocations(bytes, header, tables[table], sizes[table]));
      return checkSymbols(bytes, header, symbols, names);
    }
    if (const std::string_view why = whyNot(entry); !why.empty())
      return damaged(why);
    if (entry.d_tag == DT_RELA || entry.d_tag == DT_JMPREL)
      tables[entry.d_tag == DT_JMPREL] = entry.d_un.d_ptr;
    if (entry.d_tag == DT_RELASZ || entry.d_tag == DT_PLTRELSZ)
      sizes[entry.d_tag == DT_PLTRELSZ] = entry.d_un.d_val;
    if (entry.d_tag == DT_SYMTAB)
      symbols = entry.d_un.d_ptr;
    if (entry.d_tag == DT_HASH)
      names = entry.d_un.d_ptr;
  }
  return damaged("its dynamic section has no end");
}

Status weir::checkSharedObject(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (!read(bytes, 0, 0, header))
    return damaged("it is too short");
  WEIR_RETURN_IF_ERROR(checkHeader(header));
  bool hasDynamic = false, hasStack = false;
  uint64_t loaded = 0;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read(bytes, header.e_phoff, i, part))
      return damaged("its program headers are outside of it");
    if (part.p_type == PT_INTERP || part.p_type == PT_TLS)
      return damaged("it has segments that kernels do not have");
    if (part.p_type == PT_GNU_STACK) {
      // The loader would change the stack of the whole process.
      if (part.p_flags & PF_X)
        return damaged("it asks for a stack that is executable");
      hasStack = true;
    }
    if ((part.p_flags & PF_W) && (part.p_flags & PF_X))
      return damaged("it has memory that is both writable and executable");
    if (part.p_offset > bytes.size() ||
        part.p_filesz > bytes.size() - part.p_offset)
      return damaged("a segment is outside of it");
    if (part.p_type == PT_LOAD) {
      if (part.p_vaddr < loaded || part.p_memsz < part.p_filesz ||
          part.p_memsz > std::numeric_limits<uint32_t>::max() - part.p_vaddr)
        return damaged("its segments overlap");
      loaded = part.p_vaddr + part.p_memsz;
    }
    if (part.p_type != PT_DYNAMIC)
      continue;
    hasDynamic = true;
    WEIR_RETURN_IF_ERROR(checkDynamic(bytes, header, part));
  }
  if (!hasStack)
    return damaged("it does not say that the stack is not executable");
  return hasDynamic ? Status::ok() : damaged("it has no dynamic section");
}
