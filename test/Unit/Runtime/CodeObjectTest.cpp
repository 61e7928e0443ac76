//===- CodeObjectTest.cpp - Loading generated code ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Code/CodeObject.h"

#include "TestPaths.h"
#include "weir/Support/Alignment.h"

#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <utility>
#include <vector>

using namespace weir;

static std::vector<char> readFile(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

static StatusOr<std::unique_ptr<CodeObject>>
load(const std::vector<char> &bytes) {
  return CodeObject::load(std::as_bytes(std::span(bytes)));
}

/// What the only kernel of `object` writes.
static float run(const CodeObject &object) {
  float value = 0;
  void *buffers[] = {&value};
  const WeirKernelArgs args = {buffers, nullptr, 0, 1, nullptr};
  object.function(0)(&args);
  return value;
}

// The second object is not mistaken for the first, whose file is gone.
TEST(CodeObject, LoadsOneAfterTheOther) {
  auto first = load(readFile(paths::code1));
  ASSERT_TRUE(first.isOk()) << first.status().message();
  EXPECT_EQ((*first)->numFunctions(), 1u);
  EXPECT_EQ(run(**first), 1);
  auto second = load(readFile(paths::code2));
  ASSERT_TRUE(second.isOk()) << second.status().message();
  EXPECT_EQ(run(**second), 2);
  EXPECT_EQ(run(**first), 1);
  *first = nullptr;
  auto third = load(readFile(paths::code1));
  ASSERT_TRUE(third.isOk()) << third.status().message();
  EXPECT_EQ(run(**third), 1);
  EXPECT_EQ(run(**second), 2);
}

// Code with another ABI version is refused before it is called.
TEST(CodeObject, RefusesAnotherInterface) {
  auto other = load(readFile(paths::otherCode));
  ASSERT_FALSE(other.isOk());
  EXPECT_EQ(other.status().code(), StatusCode::DataLoss);
  EXPECT_NE(other.status().message().find("ABI version 99"),
            std::string_view::npos)
      << other.status().message();
}

// Short files and files of another kind never reach the system's loader.
TEST(CodeObject, RefusesWhatIsNoSharedObject) {
  const std::vector<char> good = readFile(paths::code1);
  auto expectRefused = [](const std::vector<char> &bytes,
                          std::string_view why) {
    auto loaded = load(bytes);
    ASSERT_FALSE(loaded.isOk()) << why;
    EXPECT_NE(loaded.status().message().find(why), std::string_view::npos)
        << loaded.status().message();
  };
  expectRefused({}, "too short");
  expectRefused(std::vector<char>(good.begin(), good.begin() + 63),
                "too short");
  expectRefused(std::vector<char>(good.begin(), good.begin() + 64),
                "its program headers are outside of it");
  std::vector<char> text = good;
  text[0] = 'x';
  expectRefused(text, "has no ELF header");
  std::vector<char> executable = good;
  executable[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
  expectRefused(executable, "it is not a 64-bit little-endian shared object");
  std::vector<char> foreign = good;
  foreign[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  expectRefused(foreign, "for another processor");
  std::vector<char> cut(good.begin(), good.begin() + 1024);
  expectRefused(cut, "outside");
}

namespace {
/// A shared object whose headers are altered.
class AlteredCode {
public:
  AlteredCode() : bytes(readFile(paths::code1)) {}

  template <typename T> T &at(uint64_t offset) {
    return *reinterpret_cast<T *>(bytes.data() + offset);
  }
  /// The first program header of `type`.
  Elf64_Phdr &part(uint32_t type) {
    const auto &header = at<Elf64_Ehdr>(0);
    for (uint64_t i = 0; i < header.e_phnum; ++i)
      if (auto &part = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
          part.p_type == type)
        return part;
    ADD_FAILURE() << "no part of type " << type;
    return at<Elf64_Phdr>(header.e_phoff);
  }
  /// The entry `tag` of the dynamic section.
  Elf64_Dyn &dynamic(int64_t tag) {
    uint64_t offset = part(PT_DYNAMIC).p_offset;
    while (at<Elf64_Dyn>(offset).d_tag != tag) {
      EXPECT_NE(at<Elf64_Dyn>(offset).d_tag, DT_NULL) << tag;
      offset += sizeof(Elf64_Dyn);
    }
    return at<Elf64_Dyn>(offset);
  }
  void expectRefused(std::string_view why) const {
    const auto loaded = load(bytes);
    ASSERT_FALSE(loaded.isOk()) << why;
    EXPECT_NE(loaded.status().message().find(why), std::string_view::npos)
        << loaded.status().message();
  }

private:
  std::vector<char> bytes;
};
} // namespace

// The loader would call these functions.
TEST(CodeObject, RefusesInitialisers) {
  for (int64_t tag : {DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY}) {
    AlteredCode code;
    code.dynamic(DT_RELACOUNT).d_tag = tag;
    code.expectRefused("it has functions that run when it is loaded");
  }
}

// A filter is another library, too.
TEST(CodeObject, RefusesOtherLibraries) {
  for (int64_t tag : {DT_NEEDED, DT_AUXILIARY, DT_FILTER}) {
    AlteredCode code;
    code.dynamic(DT_RELACOUNT).d_tag = tag;
    code.expectRefused("it needs other libraries");
  }
  AlteredCode other;
  other.dynamic(DT_RELACOUNT).d_tag = DT_TEXTREL;
  other.expectRefused("its dynamic section has what kernels do not need");
}

// The loader reads addresses, not places in the file, and the last relocation
// also if it is not complete.
TEST(CodeObject, ChecksWhatTheLoaderReads) {
  AlteredCode moved;
  moved.part(PT_DYNAMIC).p_vaddr += 16;
  moved.expectRefused("its dynamic section is not where the loader looks");
  AlteredCode cut;
  cut.dynamic(DT_RELASZ).d_un.d_val -= 1;
  cut.expectRefused("it has a part of a relocation");
}

// So would it the functions of such a relocation. The table lies in the first
// segment, whose addresses are offsets in the file.
TEST(CodeObject, RefusesRelocationsThatCall) {
  AlteredCode code;
  auto &relocation = code.at<Elf64_Rela>(code.dynamic(DT_RELA).d_un.d_ptr);
  EXPECT_EQ(ELF64_R_TYPE(relocation.r_info), uint32_t(R_X86_64_RELATIVE));
  relocation.r_info = ELF64_R_INFO(0, R_X86_64_IRELATIVE);
  code.expectRefused("it has a relocation of type 37; kernels have only "
                     "relative ones");
  AlteredCode outside;
  outside.dynamic(DT_RELA).d_un.d_ptr = uint64_t(1) << 40;
  outside.expectRefused("its relocations are outside of it");
}

// The loader writes where relocations say, and a look-up reads names and the
// table of kernels.
TEST(CodeObject, RefusesWhatTheLoaderWouldFollowOutside) {
  const auto relocate = [](uint64_t to) {
    AlteredCode code;
    code.at<Elf64_Rela>(code.dynamic(DT_RELA).d_un.d_ptr).r_offset = to;
    code.expectRefused("a relocation changes what is not its data");
  };
  relocate(uint64_t(1) << 56);
  relocate(0);

  AlteredCode head;
  const auto table =
      head.at<Elf64_Sym>(head.dynamic(DT_SYMTAB).d_un.d_ptr + sizeof(Elf64_Sym))
          .st_value;
  head.at<Elf64_Rela>(head.dynamic(DT_RELA).d_un.d_ptr).r_offset = table;
  head.expectRefused("changes the head of its table of kernels");

  AlteredCode strings;
  strings.dynamic(DT_STRSZ).d_un.d_val = uint64_t(1) << 40;
  strings.expectRefused("its names are outside of it");
  AlteredCode open;
  open.dynamic(DT_STRSZ).d_un.d_val -= 1;
  open.expectRefused("its names are outside of it");

  const auto alterSymbol = [](auto alter, std::string_view why) {
    AlteredCode code;
    alter(code.at<Elf64_Sym>(code.dynamic(DT_SYMTAB).d_un.d_ptr +
                             sizeof(Elf64_Sym)));
    code.expectRefused(why);
  };
  alterSymbol([](Elf64_Sym &symbol) { symbol.st_name = 1u << 30; },
              "the name of a symbol is outside of it");
  alterSymbol([](Elf64_Sym &symbol) { symbol.st_value = 1u << 30; },
              "its table of kernels is outside of it");
  alterSymbol([](Elf64_Sym &symbol) { symbol.st_value += 1; },
              "its table of kernels is outside of it");
}

// And the function of such a symbol, when the table of kernels is looked up. A
// symbol of a thread has no address in an object without memory of threads.
TEST(CodeObject, RefusesSymbolsThatCall) {
  for (const auto &[type, why] :
       {std::pair(STT_GNU_IFUNC, "it has a symbol of type 10; kernels have "
                                 "only functions and objects"),
        std::pair(STT_TLS, "it has a symbol of type 6")}) {
    AlteredCode code;
    auto &symbol = code.at<Elf64_Sym>(code.dynamic(DT_SYMTAB).d_un.d_ptr +
                                      sizeof(Elf64_Sym));
    EXPECT_EQ(ELF64_ST_TYPE(symbol.st_info), STT_OBJECT);
    symbol.st_info =
        ELF64_ST_INFO(STB_GLOBAL, static_cast<unsigned char>(type));
    code.expectRefused(why);
  }
}

// All symbols that a look-up can reach are checked, so the table of names has
// to say which these are.
TEST(CodeObject, RefusesNamesThatLeadOutside) {
  AlteredCode code;
  const uint64_t table = code.dynamic(DT_HASH).d_un.d_ptr;
  const auto numBuckets = code.at<uint32_t>(table);
  const auto expectInvalid = [](uint64_t at, uint32_t value) {
    AlteredCode altered;
    altered.at<uint32_t>(at) = value;
    altered.expectRefused("its table of names is not valid");
  };
  expectInvalid(table, 0);
  expectInvalid(table, 0xffffffff);
  expectInvalid(table + 4, 0xffffffff);
  expectInvalid(table + 8, 0x7fffffff);
  // Symbol 1 is followed by itself.
  expectInvalid(table + (2 + numBuckets + 1) * sizeof(uint32_t), 1);
  AlteredCode other;
  other.dynamic(DT_HASH).d_tag = DT_GNU_HASH;
  other.expectRefused("its dynamic section has what kernels do not need");
  AlteredCode moved;
  moved.dynamic(DT_SYMTAB).d_un.d_ptr = uint64_t(1) << 40;
  moved.expectRefused("its symbols are outside of it");
}

// A look-up reads the dynamic section after the relocations.
TEST(CodeObject, RefusesRelocationsOfTheDynamicSection) {
  for (const uint64_t entry : {0, 1, 5}) {
    AlteredCode code;
    code.at<Elf64_Rela>(code.dynamic(DT_RELA).d_un.d_ptr).r_offset =
        code.part(PT_DYNAMIC).p_vaddr + entry * sizeof(Elf64_Dyn) + 8;
    code.expectRefused("a relocation changes its dynamic section");
  }
}

// The loader takes some entries for granted, and ends the process if their
// values are not what it expects.
TEST(CodeObject, RefusesADynamicSectionThatTheLoaderDoesNotExpect) {
  for (int64_t tag : {DT_SYMENT, DT_RELAENT}) {
    AlteredCode code;
    code.dynamic(tag).d_un.d_val += 1;
    code.expectRefused("has a value that kernels do not have");
  }
  for (int64_t tag : {DT_HASH, DT_SYMTAB, DT_SYMENT, DT_RELA, DT_RELASZ,
                      DT_RELAENT, DT_STRTAB, DT_STRSZ}) {
    AlteredCode code;
    code.dynamic(tag).d_tag = DT_SONAME;
    code.expectRefused("its dynamic section lacks what the loader needs");
  }
  AlteredCode name;
  name.dynamic(DT_RELACOUNT) = {DT_SONAME, {uint64_t(1) << 40}};
  name.expectRefused("its name is outside of it");
  AlteredCode flags;
  flags.dynamic(DT_RELACOUNT) = {DT_FLAGS_1, {DF_1_GLOBAL}};
  flags.expectRefused("has a value that kernels do not have");
}

// A look-up takes the value of such a symbol as it is, or one of another
// object.
TEST(CodeObject, RefusesSymbolsOfTheProcess) {
  const auto symbolOf = [](AlteredCode &code) -> Elf64_Sym & {
    return code.at<Elf64_Sym>(code.dynamic(DT_SYMTAB).d_un.d_ptr +
                              sizeof(Elf64_Sym));
  };
  AlteredCode fixed;
  symbolOf(fixed).st_shndx = SHN_ABS;
  fixed.expectRefused("its table of kernels is at an address of the process");
  AlteredCode unique;
  symbolOf(unique).st_info = ELF64_ST_INFO(STB_GNU_UNIQUE, STT_OBJECT);
  unique.expectRefused("it has a symbol that the whole process shares");
}

// The loader protects the pages that a header names, and keeps the address of
// the headers, wherever these are.
TEST(CodeObject, RefusesSegmentsElsewhere) {
  AlteredCode protection;
  protection.part(PT_GNU_RELRO).p_vaddr += uint64_t(1) << 32;
  protection.expectRefused("it protects memory that is not its own");
  AlteredCode larger;
  larger.part(PT_GNU_RELRO).p_memsz += uint64_t(1) << 20;
  larger.expectRefused("it protects memory that is not its own");
  AlteredCode headers;
  headers.part(PT_GNU_RELRO).p_type = PT_PHDR;
  headers.part(PT_PHDR).p_vaddr += uint64_t(1) << 32;
  headers.expectRefused("a part of it is not where the loader looks for it");
  AlteredCode unknown;
  unknown.part(PT_GNU_RELRO).p_type = PT_TLS;
  unknown.expectRefused("it has segments that kernels do not have");
}

// A page of the file that the loader maps for one segment would hide the end
// of the segment in front of it, which was checked.
TEST(CodeObject, RefusesSegmentsOnOnePage) {
  AlteredCode code;
  Elf64_Phdr &first = code.part(PT_LOAD);
  first.p_memsz = alignTo(first.p_memsz, 4096) + 1;
  code.expectRefused("its segments overlap");
}

TEST(CodeObject, RefusesWritableCode) {
  AlteredCode code;
  code.part(PT_LOAD).p_flags = PF_R | PF_W | PF_X;
  code.expectRefused("it has memory that is both writable and executable");
}

// The stack is that of the whole process. If nothing is said about it, it
// becomes executable.
TEST(CodeObject, RefusesAnExecutableStack) {
  for (uint32_t flags : {PF_R | PF_X, PF_R | PF_W | PF_X}) {
    AlteredCode code;
    code.part(PT_GNU_STACK).p_flags = flags;
    code.expectRefused("it asks for a stack that is executable");
  }
  AlteredCode silent;
  silent.part(PT_GNU_STACK).p_type = PT_NOTE;
  silent.expectRefused("it does not say that the stack is not executable");
}

// With any byte of the headers changed, an object is loaded or refused, and
// never crashes: the loader maps only parts of the file.
TEST(CodeObject, SurvivesDamagedHeaders) {
  const std::vector<char> good = readFile(paths::code1);
  for (size_t at = 0; at < sizeof(Elf64_Ehdr); ++at) {
    std::vector<char> damaged = good;
    damaged[at] = static_cast<char>(~damaged[at]);
    (void)checkSharedObject(std::as_bytes(std::span(damaged)));
  }
}
