//===- TensorProtoTest.cpp - Tensors as ONNX stores them --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TensorProto.h"

#include "Damage.h"
#include "TestPaths.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/TensorFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weir;
using testing::HasSubstr;

namespace {
std::string input(const std::string &name) {
  return std::string(paths::inputs) + "/" + name + ".pb";
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
void expectCounting(const std::string &name, DType type) {
  SCOPED_TRACE(name);
  auto tensor = readTensorFile(input(name));
  ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
  EXPECT_EQ(tensor->desc(), TensorDesc::rowMajor(type, {2, 3}));
  for (int64_t i = 0; i < tensor->desc().numElements(); ++i) {
    int64_t expected = type == DType::I1  ? i != 2
                       : isUnsigned(type) ? wrapped(i - 2, type)
                                          : i - 2;
    EXPECT_EQ(loadInt(type, tensor->data(), i), expected) << i;
  }
}

/// The message of the error that the bytes end in.
std::string errorOf(std::initializer_list<int> bytes) {
  std::vector<std::byte> file;
  for (int byte : bytes)
    file.push_back(std::byte(byte));
  auto tensor = parseTensorProto(file);
  EXPECT_FALSE(tensor.isOk());
  return std::string(tensor.status().message());
}
} // namespace

// Every element type, in the field that the type has and as raw bytes.
TEST(TensorProtoTest, readsElementTypes) {
  const std::pair<std::string, DType> types[] = {
      {"f32", DType::F32}, {"f16", DType::F16}, {"bf16", DType::BF16},
      {"f64", DType::F64}, {"i8", DType::I8},   {"u8", DType::U8},
      {"i16", DType::I16}, {"i32", DType::I32}, {"i64", DType::I64},
      {"i1", DType::I1},   {"u16", DType::U16}, {"u32", DType::U32},
      {"u64", DType::U64}};
  for (const auto &[name, type] : types) {
    expectCounting(name + "-fields", type);
    if (type != DType::BF16)
      expectCounting(name + "-raw", type);
  }
}

TEST(TensorProtoTest, readsScalarsAndNothing) {
  auto scalar = readTensorFile(input("scalar"));
  ASSERT_TRUE(scalar.isOk());
  EXPECT_TRUE(scalar->dims().empty());
  EXPECT_EQ(scalar->values<float>()[0], 1.5f);
  auto empty = readTensorFile(input("empty"));
  ASSERT_TRUE(empty.isOk());
  EXPECT_EQ(empty->dims(), (std::vector<int64_t>{0, 3}));
}

// Floats one by one, as early writers gave them: dims 2, type 1, two fixed32.
TEST(TensorProtoTest, readsUnpackedElements) {
  std::vector<std::byte> file;
  for (int byte :
       {0x08, 0x02, 0x10, 0x01, 0x25, 0, 0, 0x80, 0x3f, 0x25, 0, 0, 0, 0xc0})
    file.push_back(std::byte(byte));
  auto tensor = parseTensorProto(file);
  ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
  EXPECT_EQ(tensor->values<float>()[0], 1.0f);
  EXPECT_EQ(tensor->values<float>()[1], -2.0f);
}

// The elements of floats are used where they are; truth values are looked at.
TEST(TensorProtoTest, findsPlainBytes) {
  const std::pair<const char *, bool> cases[] = {
      {"f32-raw", true}, {"f32-fields", true},  {"f64-fields", true},
      {"i64-raw", true}, {"i64-fields", false}, {"i1-raw", false},
      {"f16-raw", true}, {"f16-fields", false}, {"external", false}};
  for (auto [name, isPlain] : cases) {
    auto file = contents(input(name));
    TensorProto tensor;
    ASSERT_TRUE(readMessage(file, 0, [&](const WireField &field) {
                  return tensor.set(field);
                }).isOk());
    EXPECT_EQ(tensor.plainBytes().has_value(), isPlain) << name;
  }
}

TEST(TensorProtoTest, refusesWhatWeirLacks) {
  auto message = [](const char *name) {
    auto tensor = readTensorFile(input(name));
    EXPECT_FALSE(tensor.isOk()) << name;
    return std::string(tensor.status().message());
  };
  EXPECT_THAT(message("complex"), HasSubstr("its element type is complex64"));
  EXPECT_THAT(message("text"), HasSubstr("its element type is string"));
  EXPECT_THAT(message("external"), HasSubstr("are in another file"));
  EXPECT_THAT(message("nosuch"), HasSubstr("cannot read"));
}

// Sizes that cannot be, or that the file does not have, take no memory.
TEST(TensorProtoTest, refusesWrongSizes) {
  // dims 4, f32, 4 raw bytes.
  EXPECT_THAT(errorOf({0x08, 4, 0x10, 1, 0x4a, 4, 0, 0, 0, 0}),
              HasSubstr("holds 1 elements, expected 4"));
  // dims -1.
  EXPECT_THAT(errorOf({0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0x01, 0x10, 1}),
              HasSubstr("negative dim"));
  // dims 2^35, f32, nothing.
  EXPECT_THAT(errorOf({0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x10, 1}),
              HasSubstr("holds 0 elements"));
}

// What the wire format does not have.
TEST(TensorProtoTest, refusesMalformedMessages) {
  EXPECT_THAT(errorOf({0x08}), HasSubstr("a number does not end"));
  EXPECT_THAT(errorOf({0x4a, 9, 1}),
              HasSubstr("a field of 9 bytes is cut off"));
  EXPECT_THAT(errorOf({0x0b}), HasSubstr("unknown kind"));
  EXPECT_THAT(errorOf({0x00, 0x00}), HasSubstr("no valid number"));
  EXPECT_THAT(errorOf({0x42 + 3, 0, 0, 0, 0}),
              HasSubstr("field 8 of a message is four bytes"));
}

// Damages end in a tensor or a message.
TEST(TensorProtoTest, survivesDamage) {
  for (const char *name :
       {"f32-raw", "i64-fields", "f16-fields", "f64-fields"}) {
    auto file = contents(input(name));
    for (unsigned seed = 0; seed < 5000; ++seed) {
      auto tensor = parseTensorProto(damage(file, seed));
      if (!tensor)
        EXPECT_FALSE(tensor.status().message().empty());
      else
        EXPECT_LE(tensor->bytes().size(), 8 * (file.size() + 1000));
    }
  }
}
