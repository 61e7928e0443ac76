//===- Cubin.cpp - Machine code of NVIDIA's GPUs ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>

using namespace weir;

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

namespace {
class Cubin {
public:
  explicit Cubin(std::span<const std::byte> bytes) : bytes(bytes) {}

  std::string findDamage();

private:
  bool hasBytes(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  template <typename T> T load(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
  Elf64_Shdr section(uint64_t index) const {
    return load<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  }
  bool isText(uint64_t index) const;
  std::string checkHeader();
  std::string checkSections() const;
  std::string checkSegments() const;

  std::span<const std::byte> bytes;
  Elf64_Ehdr header{};
};
} // namespace

std::string Cubin::checkHeader() {
  if (!hasBytes(0, sizeof(header)))
    return fmt::format("it has {} bytes, fewer than an ELF header",
                       bytes.size());
  header = load<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_CUDA)
    return "it is no 64-bit ELF file for NVIDIA's GPUs";
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !hasBytes(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)))
    return "its table of sections is not inside of it";
  if (header.e_phnum != 0 &&
      (header.e_phentsize != sizeof(Elf64_Phdr) ||
       !hasBytes(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr))))
    return "its table of segments is not inside of it";
  return {};
}

/// Whether section `index` is a string table that ends with a zero byte.
bool Cubin::isText(uint64_t index) const {
  if (index >= header.e_shnum)
    return false;
  const Elf64_Shdr text = section(index);
  return text.sh_type == SHT_STRTAB && text.sh_size > 0 &&
         hasBytes(text.sh_offset, text.sh_size) &&
         bytes[text.sh_offset + text.sh_size - 1] == std::byte(0);
}

std::string Cubin::checkSections() const {
  if (!isText(header.e_shstrndx))
    return "it has no names of sections";
  const uint64_t nameBytes = section(header.e_shstrndx).sh_size;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    if (each.sh_name >= nameBytes ||
        (each.sh_type != SHT_NULL && each.sh_type != SHT_NOBITS &&
         !hasBytes(each.sh_offset, each.sh_size)))
      return fmt::format("its section {} is not inside of it", i);
    if (each.sh_type == SHT_STRTAB && !isText(i))
      return fmt::format("the names in its section {} have no end", i);
    if (each.sh_link >= header.e_shnum)
      return fmt::format("its section {} refers to one that is not there", i);
    if (each.sh_type == SHT_SYMTAB && !isText(each.sh_link))
      return fmt::format("the symbols in its section {} have no names", i);
  }
  return {};
}

std::string Cubin::checkSegments() const {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto each = load<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!hasBytes(each.p_offset, each.p_filesz))
      return fmt::format("its segment {} is not inside of it", i);
  }
  return {};
}

std::string Cubin::findDamage() {
  std::string damage = checkHeader();
  if (damage.empty())
    damage = checkSections();
  return damage.empty() ? checkSegments() : damage;
}

std::string artifact::findCubinDamage(std::span<const std::byte> bytes) {
  return Cubin(bytes).findDamage();
}
