//===- FakeCubin.h - Machine code of pretended GPUs -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The code of a pretended GPU is text. As machine code, it is the names in an
// ELF file that Weir takes for a real one.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKECUDA_FAKECUBIN_H
#define WEIR_TEST_UNIT_PLUGINS_FAKECUDA_FAKECUBIN_H

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <string>

namespace weir::test {

struct FakeCubinHeader {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[2] = {};
};

/// Machine code with `text`. Its last byte is zero.
inline std::string makeFakeCubin(const std::string &text) {
  constexpr uint16_t cuda = 190;
  FakeCubinHeader begin;
  std::memcpy(begin.header.e_ident, ELFMAG, SELFMAG);
  begin.header.e_ident[EI_CLASS] = ELFCLASS64;
  begin.header.e_ident[EI_DATA] = ELFDATA2LSB;
  begin.header.e_machine = cuda;
  begin.header.e_shoff = offsetof(FakeCubinHeader, sections);
  begin.header.e_shentsize = sizeof(Elf64_Shdr);
  begin.header.e_shnum = 2;
  begin.header.e_shstrndx = 1;
  begin.sections[1].sh_type = SHT_STRTAB;
  begin.sections[1].sh_offset = sizeof(begin);
  begin.sections[1].sh_size = text.size() + 1;
  return std::string(reinterpret_cast<const char *>(&begin), sizeof(begin)) +
         text + '\0';
}

/// The text of machine code or of PTX. Empty for machine code of real GPUs.
inline std::string fakeCodeText(const void *code) {
  const auto *bytes = static_cast<const char *>(code);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0)
    return bytes;
  FakeCubinHeader begin;
  std::memcpy(&begin, bytes, sizeof(begin));
  return begin.header.e_shoff == offsetof(FakeCubinHeader, sections)
             ? bytes + sizeof(FakeCubinHeader)
             : "";
}

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKECUDA_FAKECUBIN_H
