//===- SharedObjectCheck.cpp - Checks a shared object before loading ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The system's loader trusts its input. The artifact's checksum detects damage.
// This check detects headers on which the loader would crash. It also refuses
// code that would run when the object is loaded, because code may run only when
// a kernel is launched.
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"

#include "weir/Support/Alignment.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <set>

using namespace weir;

static Status damaged(std::string_view what) {
  return dataLoss(fmt::format("generated code is not a shared object that can "
                              "be loaded: {}; compile the model again",
                              what));
}

/// Reads entry `index` of the table of `T` at `offset`. Returns false if the
/// entry is not inside of `bytes`.
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

/// Whether `entry` of the dynamic section has an allowed value. For some tags
/// this is the only value with which the loader works. For flags it is any set
/// of the allowed bits.
static bool hasFixedValue(const Elf64_Dyn &entry) {
  const uint64_t value = entry.d_un.d_val;
  switch (entry.d_tag) {
  case DT_SYMENT:
    return value == sizeof(Elf64_Sym);
  case DT_RELAENT:
    return value == sizeof(Elf64_Rela);
  case DT_PLTREL:
    return value == DT_RELA;
  // BIND_NOW changes nothing, because the loader binds all symbols at once
  // anyway.
  case DT_FLAGS:
    return (value & ~uint64_t(DF_BIND_NOW | DF_SYMBOLIC)) == 0;
  case DT_FLAGS_1:
    return (value & ~uint64_t(DF_1_NOW)) == 0;
  default:
    return true;
  }
}

/// What is wrong with a file that has `entry` in its dynamic section. Empty if
/// kernels may have this entry.
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
    return hasFixedValue(entry) ? ""
                                : "its dynamic section has a value that "
                                  "kernels do not have";
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

/// An offset at which no file has bytes.
static constexpr uint64_t nowhere = std::numeric_limits<uint64_t>::max();

/// The offset in the file of the `size` bytes that the loader maps at
/// `address`. `nowhere` if no segment that `accepts` allows has all these bytes
/// in the file.
template <typename Accepts>
static uint64_t findInFile(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, uint64_t address,
                           uint64_t size, Accepts accepts) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (read(bytes, header.e_phoff, i, part) && part.p_type == PT_LOAD &&
        accepts(part) && address >= part.p_vaddr &&
        address - part.p_vaddr <= part.p_filesz &&
        size <= part.p_filesz - (address - part.p_vaddr))
      return part.p_offset + (address - part.p_vaddr);
  }
  return nowhere;
}

static bool isWritable(const Elf64_Phdr &part) { return part.p_flags & PF_W; }

/// Like `findInFile`, but only for parts that the loader maps read-only, so
/// that no relocation changes the bytes.
static uint64_t findConstant(std::span<const std::byte> bytes,
                             const Elf64_Ehdr &header, uint64_t address,
                             uint64_t size) {
  return findInFile(bytes, header, address, size,
                    [](const Elf64_Phdr &part) { return !isWritable(part); });
}

/// The bytes from `begin` up to `end`.
struct ByteRange {
  uint64_t begin = 0, end = 0;
  bool overlaps(uint64_t first, uint64_t size) const {
    return first < end && first + size > begin;
  }
};

/// What the dynamic section says about the object.
struct DynamicTables {
  /// The place of the dynamic section itself.
  ByteRange section;
  /// The addresses and sizes of two tables of relocations: first the table for
  /// data, then the table for calls.
  uint64_t relocations[2] = {}, relocationBytes[2] = {};
  uint64_t symbols = 0;
  uint64_t hashes = 0;
  uint64_t strings = 0, stringBytes = 0;
  uint64_t ownName = 0;
  std::set<int64_t> tags;

  void add(const Elf64_Dyn &entry);
  /// Whether the section has all entries that the loader reads without a check.
  bool isComplete() const;
};

bool DynamicTables::isComplete() const {
  const auto hasAll = [&](std::initializer_list<int64_t> wanted) {
    return std::ranges::all_of(wanted,
                               [&](int64_t tag) { return tags.contains(tag); });
  };
  const auto hasAny = [&](std::initializer_list<int64_t> wanted) {
    return std::ranges::any_of(wanted,
                               [&](int64_t tag) { return tags.contains(tag); });
  };
  return hasAll({DT_HASH, DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_SYMENT}) &&
         (!hasAny({DT_RELA, DT_RELASZ, DT_RELAENT, DT_RELACOUNT}) ||
          hasAll({DT_RELA, DT_RELASZ, DT_RELAENT})) &&
         (!hasAny({DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}) ||
          hasAll({DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}));
}

void DynamicTables::add(const Elf64_Dyn &entry) {
  const uint64_t value = entry.d_un.d_val;
  tags.insert(entry.d_tag);
  switch (entry.d_tag) {
  case DT_SONAME:
    ownName = value;
    break;
  case DT_RELA:
  case DT_JMPREL:
    relocations[entry.d_tag == DT_JMPREL] = value;
    break;
  case DT_RELASZ:
  case DT_PLTRELSZ:
    relocationBytes[entry.d_tag == DT_PLTRELSZ] = value;
    break;
  case DT_SYMTAB:
    symbols = value;
    break;
  case DT_HASH:
    hashes = value;
    break;
  case DT_STRTAB:
    strings = value;
    break;
  case DT_STRSZ:
    stringBytes = value;
    break;
  default:
    break;
  }
}

/// Checks the table of relocations at `address`. All relocations must be
/// relative, because for other kinds the loader looks up names or calls
/// functions. No relocation may change `head`, the head of the table of
/// kernels, or `section`, the dynamic section, which tells look-ups where the
/// tables of names are.
static Status checkRelocations(std::span<const std::byte> bytes,
                               const Elf64_Ehdr &header, uint64_t address,
                               uint64_t size, const ByteRange &head,
                               const ByteRange &section) {
  const uint64_t offset = findConstant(bytes, header, address, size);
  const ByteRange headers{header.e_phoff,
                          header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr)};
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
    const uint64_t begin = relocation.r_offset;
    const uint64_t place =
        findInFile(bytes, header, begin, sizeof(uint64_t), isWritable);
    if (place == nowhere || headers.overlaps(place, sizeof(uint64_t)))
      return damaged("a relocation changes what is not its data");
    if (head.overlaps(begin, sizeof(uint64_t)))
      return damaged("a relocation changes the head of its table of kernels");
    if (section.overlaps(begin, sizeof(uint64_t)))
      return damaged("a relocation changes its dynamic section");
  }
  return Status::ok();
}

/// Finds the number of symbols that a look-up in the hash table at `address`
/// can reach. Returns false if a look-up could read outside of the table, or
/// never end.
static bool countSymbols(std::span<const std::byte> bytes,
                         const Elf64_Ehdr &header, uint64_t address,
                         uint64_t &count) {
  // The table begins with the number of buckets and the number of symbols. The
  // first symbol of each bucket follows, and after these, for each symbol, the
  // next symbol in the same bucket.
  uint32_t head[2];
  const uint64_t offset = findConstant(bytes, header, address, sizeof(head));
  for (uint64_t i = 0; i < 2; ++i)
    if (!read(bytes, offset, i, head[i]))
      return false;
  const uint64_t numBuckets = head[0], words = 2 + numBuckets + head[1];
  if (numBuckets == 0 ||
      findConstant(bytes, header, address, words * sizeof(uint32_t)) != offset)
    return false;
  count = head[1];
  for (uint64_t i = 2; i < words; ++i) {
    uint32_t symbol = 0;
    // Linkers add each symbol at the front of the list of its bucket. So the
    // next symbol has a smaller number, and each list ends.
    const uint64_t end = i < 2 + numBuckets ? count : i - 2 - numBuckets;
    if (!read(bytes, offset, i, symbol) || (symbol != 0 && symbol >= end))
      return false;
  }
  return true;
}

/// Checks that the object contains the table of kernels at `address`, with as
/// many functions as the table says.
static Status checkTable(std::span<const std::byte> bytes,
                         const Elf64_Ehdr &header, uint64_t address) {
  const auto anywhere = [](const Elf64_Phdr &) { return true; };
  WeirKernelTable table;
  const uint64_t offset =
      findInFile(bytes, header, address, sizeof(table), anywhere);
  if (address % alignof(WeirKernelFunction) || !read(bytes, offset, 0, table) ||
      findInFile(bytes, header, address,
                 sizeof(table) + table.count * sizeof(WeirKernelFunction),
                 anywhere) == nowhere)
    return damaged("its table of kernels is outside of it");
  return Status::ok();
}

/// Checks the symbols that a look-up can find. Sets `kernels` to the address of
/// the table of kernels, if the object has that table. Indirect symbols are
/// refused: the loader would call their functions to learn their addresses.
static Status checkSymbols(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header,
                           const DynamicTables &tables, uint64_t &kernels) {
  uint64_t count = 0;
  if (!countSymbols(bytes, header, tables.hashes, count))
    return damaged("its table of names is not valid");
  const uint64_t offset =
      findConstant(bytes, header, tables.symbols, count * sizeof(Elf64_Sym));
  const uint64_t strings =
      findConstant(bytes, header, tables.strings, tables.stringBytes);
  char last = 1;
  if (tables.stringBytes == 0 ||
      !read(bytes, strings, tables.stringBytes - 1, last) || last != '\0')
    return damaged("its names are outside of it");
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    if (!read(bytes, offset, i, symbol))
      return damaged("its symbols are outside of it");
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type > STT_FILE)
      return damaged(fmt::format(
          "it has a symbol of type {}; kernels have only functions and objects",
          type));
    if (symbol.st_name >= tables.stringBytes)
      return damaged("the name of a symbol is outside of it");
    // The loader looks up a unique symbol in the whole process, and could take
    // the symbol of another object.
    if (ELF64_ST_BIND(symbol.st_info) > STB_WEAK)
      return damaged("it has a symbol that the whole process shares");
    const auto *name =
        reinterpret_cast<const char *>(bytes.data()) + strings + symbol.st_name;
    if (symbol.st_shndx == SHN_UNDEF || name != kernelTableName)
      continue;
    if (symbol.st_shndx == SHN_ABS)
      return damaged("its table of kernels is at an address of the process");
    kernels = symbol.st_value;
    WEIR_RETURN_IF_ERROR(checkTable(bytes, header, kernels));
  }
  return Status::ok();
}

/// Whether the loader maps the bytes of `part` to the addresses that `part`
/// states.
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

static Status checkTables(std::span<const std::byte> bytes,
                          const Elf64_Ehdr &header,
                          const DynamicTables &tables) {
  if (!tables.isComplete())
    return damaged("its dynamic section lacks what the loader needs");
  if (tables.ownName >= std::max<uint64_t>(tables.stringBytes, 1))
    return damaged("its name is outside of it");
  uint64_t kernels = 0;
  WEIR_RETURN_IF_ERROR(checkSymbols(bytes, header, tables, kernels));
  for (int i = 0; i < 2; ++i)
    if (tables.relocationBytes[i])
      WEIR_RETURN_IF_ERROR(checkRelocations(
          bytes, header, tables.relocations[i], tables.relocationBytes[i],
          {kernels, kernels + sizeof(WeirKernelTable)}, tables.section));
  return Status::ok();
}

/// Checks that the dynamic section has an end, and that it names no other
/// library and no function that the loader would call.
static Status checkDynamic(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, const Elf64_Phdr &part) {
  if (!isMapped(bytes, header, part))
    return damaged("its dynamic section is not where the loader looks for it");
  DynamicTables tables;
  tables.section = {part.p_vaddr, part.p_vaddr + part.p_memsz};
  for (uint64_t i = 0; i < part.p_filesz / sizeof(Elf64_Dyn); ++i) {
    Elf64_Dyn entry;
    if (!read(bytes, part.p_offset, i, entry))
      break;
    if (entry.d_tag == DT_NULL)
      return checkTables(bytes, header, tables);
    if (const std::string_view why = whyNot(entry); !why.empty())
      return damaged(why);
    tables.add(entry);
  }
  return damaged("its dynamic section has no end");
}

/// Checks that the segment `part` begins on a page after `loaded`, the end of
/// the segments before it, and sets `loaded` to the end of `part`. On a shared
/// page, one segment would hide bytes of the other.
static Status checkLoaded(const Elf64_Phdr &part, uint64_t &loaded) {
  constexpr uint64_t page = 4096;
  constexpr uint64_t last = std::numeric_limits<uint32_t>::max();
  if (part.p_vaddr / page * page < alignTo(loaded, page) ||
      part.p_memsz < part.p_filesz || part.p_vaddr > last ||
      part.p_memsz > last - part.p_vaddr)
    return damaged("its segments overlap");
  loaded = part.p_vaddr + part.p_memsz;
  return Status::ok();
}

/// Whether `part`, the memory that the loader makes read-only after relocation,
/// is inside of a writable segment. Other memory is not the object's own.
static bool protectsItself(std::span<const std::byte> bytes,
                           const Elf64_Ehdr &header, const Elf64_Phdr &part) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr load;
    if (read(bytes, header.e_phoff, i, load) && load.p_type == PT_LOAD &&
        isWritable(load) && part.p_vaddr >= load.p_vaddr &&
        part.p_vaddr - load.p_vaddr <= load.p_memsz &&
        part.p_memsz <= load.p_memsz - (part.p_vaddr - load.p_vaddr))
      return true;
  }
  return false;
}

/// Checks the program header `part`. `loaded` is the end of the segments before
/// it.
static Status checkPart(std::span<const std::byte> bytes,
                        const Elf64_Ehdr &header, const Elf64_Phdr &part,
                        uint64_t &loaded) {
  if (part.p_offset > bytes.size() ||
      part.p_filesz > bytes.size() - part.p_offset)
    return damaged("a segment is outside of it");
  if (part.p_type != PT_GNU_STACK && (part.p_flags & PF_W) &&
      (part.p_flags & PF_X))
    return damaged("it has memory that is both writable and executable");
  switch (part.p_type) {
  case PT_NULL:
    return Status::ok();
  case PT_LOAD:
    return checkLoaded(part, loaded);
  case PT_GNU_STACK:
    // For an executable stack, the loader would change the stacks of the whole
    // process.
    return part.p_flags & PF_X
               ? damaged("it asks for a stack that is executable")
               : Status::ok();
  case PT_DYNAMIC:
    return checkDynamic(bytes, header, part);
  case PT_GNU_RELRO:
    return protectsItself(bytes, header, part)
               ? Status::ok()
               : damaged("it protects memory that is not its own");
  case PT_PHDR:
  case PT_NOTE:
  case PT_GNU_PROPERTY:
  case PT_GNU_EH_FRAME:
    return part.p_memsz == part.p_filesz && isMapped(bytes, header, part)
               ? Status::ok()
               : damaged("a part of it is not where the loader looks for it");
  default:
    return damaged("it has segments that kernels do not have");
  }
}

Status weir::checkSharedObject(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (!read(bytes, 0, 0, header))
    return damaged("it is too short");
  WEIR_RETURN_IF_ERROR(checkHeader(header));
  int numDynamic = 0;
  bool hasStack = false;
  uint64_t loaded = 0;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read(bytes, header.e_phoff, i, part))
      return damaged("its program headers are outside of it");
    WEIR_RETURN_IF_ERROR(checkPart(bytes, header, part, loaded));
    hasStack |= part.p_type == PT_GNU_STACK;
    numDynamic += part.p_type == PT_DYNAMIC;
  }
  if (!hasStack)
    return damaged("it does not say that the stack is not executable");
  if (numDynamic == 1)
    return Status::ok();
  return damaged(numDynamic == 0 ? "it has no dynamic section"
                                 : "it has two dynamic sections");
}
