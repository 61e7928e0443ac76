//===- GpuCodeTest.cpp - Generated code for GPUs as one blob ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/GpuCode.h"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::artifact;

namespace {
using Kind = GpuImage::Kind;

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Machine code of no kernels: a header, the names of sections, and two
/// sections, of which the second one has the names.
struct TinyCubin {
  Elf64_Ehdr header{};
  char names[16] = "\0.shstrtab";
  Elf64_Shdr sections[2] = {};
  Elf64_Phdr segment{};

  TinyCubin() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = 190;
    header.e_shoff = offsetof(TinyCubin, sections);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 2;
    header.e_shstrndx = 1;
    header.e_phoff = offsetof(TinyCubin, segment);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_offset = offsetof(TinyCubin, names);
    sections[1].sh_size = sizeof(names);
    segment.p_filesz = sizeof(TinyCubin);
  }
};

/// What only a driver for tests knows.
constexpr auto secret = static_cast<Kind>(0x8001);

/// PTX with its zero byte, a cubin, and a private image of one byte.
std::vector<std::byte> packThree() {
  static constexpr std::string_view ptx("// ptx\0", 7);
  static const TinyCubin cubin;
  const GpuImage images[] = {
      {Kind::Ptx, 90, bytesOf(ptx)},
      {Kind::Cubin, 100, std::as_bytes(std::span(&cubin, 1))},
      {secret, 0, bytesOf("e")}};
  return packGpuCode(images);
}

/// Writes `value` at `offset` of a blob of three images. The header has 16
/// bytes, and each entry has kind, architecture, offset and bytes.
template <typename T> Status parseWith(size_t offset, T value) {
  std::vector<std::byte> blob = packThree();
  std::memcpy(blob.data() + offset, &value, sizeof(T));
  return parseGpuCode(blob).status();
}

constexpr size_t first = 16, second = 40, third = 64;

void expectDamage(const Status &status, std::string_view part) {
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_NE(status.message().find(part), std::string_view::npos)
      << status.message();
}
} // namespace

// What is packed is found again, aligned, in the same order.
TEST(GpuCodeTest, imagesAreFoundAgain) {
  const std::vector<std::byte> blob = packThree();
  auto images = parseGpuCode(blob);
  ASSERT_TRUE(images.isOk()) << images.status().message();
  ASSERT_EQ(images->size(), 3u);
  EXPECT_EQ((*images)[0].kind, Kind::Ptx);
  EXPECT_EQ((*images)[0].arch, 90u);
  EXPECT_EQ((*images)[0].text(), "// ptx");
  EXPECT_EQ((*images)[1].kind, Kind::Cubin);
  EXPECT_EQ((*images)[1].arch, 100u);
  EXPECT_EQ((*images)[1].bytes.size(), sizeof(TinyCubin));
  EXPECT_EQ((*images)[2].kind, secret);
  EXPECT_EQ((*images)[2].bytes[0], std::byte('e'));
  for (const GpuImage &image : *images)
    EXPECT_EQ((image.bytes.data() - blob.data()) % 16, 0);
  EXPECT_EQ(gpuEntryName(12), "weir_kernel_12");
}

// A blob that ends early, anywhere, is damaged.
TEST(GpuCodeTest, everyShorterBlobIsRefused) {
  const std::vector<std::byte> blob = packThree();
  for (size_t size = 0; size < blob.size(); ++size)
    EXPECT_EQ(parseGpuCode(std::span(blob).first(size)).status().code(),
              StatusCode::DataLoss)
        << size;
}

// Each field of the header is checked.
TEST(GpuCodeTest, headersAreChecked) {
  expectDamage(parseWith(0, 'X'), "does not begin with WGPU");
  expectDamage(parseWith(4, uint32_t(0)), "has 0 images");
  expectDamage(parseWith(4, uint32_t(65)), "has 65 images");
  expectDamage(parseWith(4, uint32_t(64)), "has 64 images");
  expectDamage(parseWith(8, uint64_t(1)), "its header says 1");
}

// Each field of an entry is checked, also where sums would overflow.
TEST(GpuCodeTest, entriesAreChecked) {
  expectDamage(parseWith(first, uint32_t(0)), "unknown kind 0");
  expectDamage(parseWith(first, uint32_t(3)), "unknown kind 3");
  expectDamage(parseWith(first, uint32_t(0x7fff)), "unknown kind 32767");
  expectDamage(parseWith(first + 4, uint32_t(9)), "the architecture 9");
  expectDamage(parseWith(second + 4, uint32_t(1000)), "the architecture 1000");
  expectDamage(parseWith(third + 4, uint32_t(90)), "expected 0");
  expectDamage(parseWith(first + 8, uint64_t(0)), "behind byte 88");
  expectDamage(parseWith(second + 8, uint64_t(97)), "a multiple of 16");
  expectDamage(parseWith(second + 8, uint64_t(96)), "behind byte 103");
  expectDamage(parseWith(third + 8, uint64_t(1) << 40), "inside of");
  expectDamage(parseWith(third + 8, ~uint64_t(15)), "inside of");
  expectDamage(parseWith(third + 16, uint64_t(0)), "0 bytes at");
  expectDamage(parseWith(third + 16, uint64_t(2)), "2 bytes at");
  expectDamage(parseWith(third + 16, ~uint64_t(0)), "inside of");
}

// PTX is one text that ends with the image.
TEST(GpuCodeTest, textEndsAtItsZero) {
  expectDamage(parseWith(96, '\0'), "first zero byte");
  expectDamage(parseWith(102, 'x'), "first zero byte");
}

/// What reading says of machine code for which `change` was called.
template <typename Change> static Status parseCubin(const Change &change) {
  TinyCubin cubin;
  change(cubin);
  const GpuImage image{Kind::Cubin, 90, std::as_bytes(std::span(&cubin, 1))};
  return parseGpuCode(packGpuCode(std::span(&image, 1))).status();
}

// The driver would follow offsets to bytes behind the image.
TEST(GpuCodeTest, machineCodeIsInsideOfItsImage) {
  EXPECT_TRUE(parseCubin([](TinyCubin &) {}).isOk());
  const auto refuses = [](std::string_view part, const auto &change) {
    expectDamage(parseCubin(change), part);
  };
  refuses("no 64-bit ELF", [](auto &c) { c.header.e_ident[0] = 'x'; });
  refuses("no 64-bit ELF", [](auto &c) { c.header.e_machine = EM_X86_64; });
  refuses("no 64-bit ELF",
          [](auto &c) { c.header.e_ident[EI_CLASS] = ELFCLASS32; });
  refuses("table of sections", [](auto &c) { c.header.e_shnum = 0; });
  refuses("table of sections", [](auto &c) { c.header.e_shentsize = 63; });
  refuses("table of sections", [](auto &c) { c.header.e_shnum = 100; });
  refuses("table of sections", [](auto &c) { c.header.e_shoff = ~0ull; });
  refuses("table of segments", [](auto &c) { c.header.e_phoff = ~0ull; });
  refuses("table of segments", [](auto &c) { c.header.e_phentsize = 1; });
  refuses("no names of sections", [](auto &c) { c.header.e_shstrndx = 2; });
  refuses("no names of sections", [](auto &c) { c.names[15] = 'x'; });
  refuses("no names of sections",
          [](auto &c) { c.sections[1].sh_size = ~0ull; });
  refuses("section 0", [](auto &c) { c.sections[0].sh_name = 16; });
  refuses("section 0", [](auto &c) {
    c.sections[0].sh_type = SHT_PROGBITS;
    c.sections[0].sh_size = 1000;
  });
  refuses("section 0 refers", [](auto &c) { c.sections[0].sh_link = 2; });
  refuses("section 0 have no names", [](auto &c) {
    c.sections[0].sh_type = SHT_SYMTAB;
    c.sections[0].sh_link = 0;
  });
  refuses("segment 0", [](auto &c) { c.segment.p_filesz = 1000; });
  refuses("segment 0", [](auto &c) { c.segment.p_offset = ~0ull; });
}
