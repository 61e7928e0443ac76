//===- NpyTest.cpp - Arrays in numpy's file format -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Npy.h"

#include "Damage.h"
#include "TestPaths.h"
#include "weir/Support/MappedFile.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace weir;

namespace {
std::string input(const std::string &name) {
  return std::string(paths::inputs) + "/" + name + ".npy";
}

std::vector<std::byte> contents(const std::string &path) {
  auto file = MappedFile::open(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  auto bytes = file->bytes();
  return {bytes.begin(), bytes.end()};
}

/// `value` with no more bits than `type` has, as `loadInt` gives it.
int64_t wrapped(int64_t value, DType type) {
  const size_t bits = 8 * byteSize(type);
  return bits == 64 ? value : value & ((int64_t(1) << bits) - 1);
}

/// Element i is i - 2, in row-major order, whatever the element type.
void expectCounting(const std::string &name, DType type,
                    std::vector<int64_t> dims) {
  SCOPED_TRACE(name);
  auto tensor = readNpy(input(name));
  ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
  EXPECT_EQ(tensor->desc(), TensorDesc::rowMajor(type, std::move(dims)));
  for (int64_t i = 0; i < tensor->desc().numElements(); ++i) {
    int64_t expected = type == DType::I1  ? i != 2
                       : isUnsigned(type) ? wrapped(i - 2, type)
                                          : i - 2;
    EXPECT_EQ(loadInt(type, tensor->data(), i), expected) << i;
  }
}
} // namespace

// Every element type that numpy and Weir share, as numpy writes it.
TEST(NpyTest, readsElementTypes) {
  const std::pair<const char *, DType> types[] = {
      {"f2", DType::F16}, {"f4", DType::F32}, {"f8", DType::F64},
      {"i1", DType::I8},  {"u1", DType::U8},  {"i2", DType::I16},
      {"i4", DType::I32}, {"i8", DType::I64}, {"b1", DType::I1},
      {"u2", DType::U16}, {"u4", DType::U32}, {"u8", DType::U64}};
  for (auto [name, type] : types)
    expectCounting(name, type, {2, 3});
}

// Index order, byte order and format version change nothing of the values.
TEST(NpyTest, readsOrdersAndVersions) {
  expectCounting("f4-fortran", DType::F32, {2, 3});
  expectCounting("f4-big-endian", DType::F32, {2, 3});
  expectCounting("i2-cube-fortran-big-endian", DType::I16, {2, 3, 4});
  expectCounting("f4-version-2", DType::F32, {2, 3});
  expectCounting("f4-version-3", DType::F32, {2, 3});
}

// Arrays without dims and without elements.
TEST(NpyTest, readsScalarsAndEmptyArrays) {
  auto scalar = readNpy(input("scalar"));
  ASSERT_TRUE(scalar.isOk()) << scalar.status().message();
  EXPECT_EQ(scalar->dims(), std::vector<int64_t>());
  EXPECT_EQ(scalar->values<float>()[0], 1.5f);
  auto empty = readNpy(input("empty"));
  ASSERT_TRUE(empty.isOk()) << empty.status().message();
  EXPECT_EQ(empty->dims(), (std::vector<int64_t>{0, 3}));
  EXPECT_TRUE(empty->bytes().empty());
}

// What Weir cannot hold is refused by its name in numpy.
TEST(NpyTest, refusesOtherElementTypes) {
  auto structured = readNpy(input("structured"));
  EXPECT_NE(structured.status().message().find("structured"),
            std::string_view::npos);
  auto complex = readNpy(input("complex"));
  EXPECT_NE(complex.status().message().find("'<c8'"), std::string_view::npos)
      << complex.status().message();
}

// Our bytes are those of numpy, for each number of dims.
TEST(NpyTest, writesWhatNumpyWrites) {
  std::string path = testing::TempDir() + "/weir-npy-test.npy";
  for (const char *name :
       {"f2", "f4", "i8", "u1", "b1", "scalar", "vector", "empty"}) {
    SCOPED_TRACE(name);
    auto tensor = readNpy(input(name));
    ASSERT_TRUE(tensor.isOk());
    ASSERT_TRUE(writeNpy(path, tensor->desc(), tensor->bytes()).isOk());
    EXPECT_EQ(contents(path), contents(input(name)));
  }
  std::filesystem::remove(path);
}

// bf16 is widened: 0x3fc0 is 1.5, 0xc000 is -2.
TEST(NpyTest, writesBFloat16AsFloat) {
  std::string path = testing::TempDir() + "/weir-npy-test.npy";
  uint16_t values[] = {0x3fc0, 0xc000};
  Status written = writeNpy(path, TensorDesc::rowMajor(DType::BF16, {2}),
                            std::as_bytes(std::span(values)));
  ASSERT_TRUE(written.isOk());
  auto tensor = readNpy(path);
  ASSERT_TRUE(tensor.isOk());
  EXPECT_EQ(tensor->values<float>()[0], 1.5f);
  EXPECT_EQ(tensor->values<float>()[1], -2.0f);
  std::filesystem::remove(path);
}

/// Why a file of that shape, without elements, is refused.
static std::string refusalOf(const std::string &shape) {
  std::string dict =
      "{'descr': '<f4', 'fortran_order': True, 'shape': " + shape + ", }\n";
  std::string file = std::string("\x93NUMPY\x01\x00", 8) +
                     static_cast<char>(dict.size()) + '\0' + dict;
  return std::string(
      parseNpy(std::as_bytes(std::span(file))).status().message());
}

// A shape whose size overflows, or is more than the file has, takes no memory.
TEST(NpyTest, refusesHugeShapes) {
  for (const char *shape :
       {"(4611686018427387904, 4611686018427387904)", "(1000000000000,)",
        "(9223372036854775808,)", "(-1,)", "(0, 9223372036854775807, 4)"})
    EXPECT_NE(refusalOf(shape), "") << shape;
}

// What is no shape is refused for what it is, as numpy refuses it.
TEST(NpyTest, saysWhatIsWrongWithAShape) {
  EXPECT_EQ(refusalOf("(0,)"), "");
  EXPECT_EQ(refusalOf("(2, 0)"), "");
  for (const char *shape : {"(-2,)", "(2,,)", "(,)", "(9223372036854775808,)"})
    EXPECT_NE(refusalOf(shape).find("expected a dim from 0 to "
                                    "9223372036854775807 or ')' at its "
                                    "character 5"),
              std::string::npos)
        << refusalOf(shape);
  EXPECT_NE(refusalOf("(0)").find("expected ',' after the only dim"),
            std::string::npos)
      << refusalOf("(0)");
  std::string many = "(0,";
  for (int i = 0; i < 31; ++i)
    many += "1,";
  EXPECT_EQ(refusalOf(many + ")").find("dims"), std::string::npos);
  EXPECT_NE(refusalOf(many + "1,)").find("expected at most 32 dims"),
            std::string::npos);
}

// Damages end in a tensor or a message.
TEST(NpyTest, survivesDamage) {
  for (const char *name : {"i2-cube-fortran-big-endian", "f4-version-2"}) {
    auto file = contents(input(name));
    for (unsigned seed = 0; seed < 5000; ++seed) {
      auto tensor = parseNpy(damage(file, seed));
      if (!tensor)
        EXPECT_FALSE(tensor.status().message().empty());
      else
        EXPECT_LE(tensor->bytes().size(), file.size() + 1000);
    }
  }
}
