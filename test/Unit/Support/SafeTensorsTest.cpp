//===- SafeTensorsTest.cpp - Named tensors in a safetensors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/SafeTensors.h"

#include "Damage.h"
#include "TestPaths.h"
#include "weir/Support/OutputFile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <system_error>

using namespace weir;

namespace {
/// A file of `header` and `dataBytes` bytes 0, 1, 2, ...
std::vector<std::byte> makeFile(std::string_view header, size_t dataBytes) {
  uint64_t size = header.size();
  std::vector<std::byte> file(sizeof(size) + size + dataBytes);
  std::memcpy(file.data(), &size, sizeof(size));
  std::memcpy(file.data() + sizeof(size), header.data(), size);
  for (size_t i = 0; i < dataBytes; ++i)
    file[sizeof(size) + size + i] = std::byte(i);
  return file;
}

std::string refusal(std::string_view header, size_t dataBytes) {
  auto file = SafeTensors::fromBytes(makeFile(header, dataBytes));
  return file ? std::string() : std::string(file.status().message());
}

constexpr std::string_view goodHeader =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[16,19]},)"
    R"("a":{"shape":[2,2],"data_offsets":[0,16],"dtype":"F32"},)"
    R"("none":{"dtype":"I64","shape":[0,4],"data_offsets":[19,19]}}  )";
} // namespace

// A file assembled by hand from the format's description.
TEST(SafeTensorsTest, readsTensors) {
  auto file = SafeTensors::fromBytes(makeFile(goodHeader, 19));
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->entries().size(), 3u);
  EXPECT_EQ(file->metadata().at("format"), "pt");
  auto tensor = file->tensor("a");
  ASSERT_TRUE(tensor.isOk());
  EXPECT_EQ(tensor->desc, TensorDesc::rowMajor(DType::F32, {2, 2}));
  EXPECT_EQ(tensor->bytes.size(), 16u);
  EXPECT_EQ(tensor->bytes[5], std::byte(5));
  EXPECT_EQ(file->tensor("none")->bytes.size(), 0u);
}

// An element type that Weir lacks is an error of that tensor alone.
TEST(SafeTensorsTest, namesUnknownElementTypes) {
  auto file = SafeTensors::fromBytes(makeFile(goodHeader, 19));
  ASSERT_TRUE(file.isOk());
  auto tensor = file->tensor("b");
  EXPECT_EQ(tensor.status().code(), StatusCode::Unimplemented);
  EXPECT_NE(tensor.status().message().find("F8_E4M3"), std::string_view::npos);
}

// Asking for a tensor that is not there lists those that are.
TEST(SafeTensorsTest, listsNames) {
  auto file = SafeTensors::fromBytes(makeFile(goodHeader, 19));
  ASSERT_TRUE(file.isOk());
  auto tensor = file->tensor("c");
  EXPECT_EQ(tensor.status().code(), StatusCode::NotFound);
  EXPECT_NE(tensor.status().message().find("'a', 'b', 'none'"),
            std::string_view::npos);
}

// The digits network, written by another program.
TEST(SafeTensorsTest, readsTheDigitsNetwork) {
  auto file =
      SafeTensors::open(std::string(paths::digits) + "/cnn.safetensors");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  size_t elements = 0;
  for (const auto &[name, entry] : file->entries()) {
    EXPECT_TRUE(entry.type == DType::F32) << name;
    elements += entry.bytes.size() / sizeof(float);
  }
  EXPECT_GT(elements, 50'000u);
}

// Offsets that leave the file, overlap, leave a gap or disagree with the shape,
// and headers that are of no known form, each with their reason.
TEST(SafeTensorsTest, refusesMalformedHeaders) {
  const std::pair<std::string, const char *> cases[] = {
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
       "exceed the 8 bytes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "exceed"},
      {R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "overlap at byte 4"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "leave a gap at byte 2"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       "have 4 bytes, the file has 8"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
       "needs 12 bytes"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],)"
       R"("data_offsets":[0,8]}})",
       "larger than 140737488355328 bytes"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
       "negative number"},
      {R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})",
       "not an integer"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})",
       "data_offsets of 'a' has 1 number, expected 2"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})",
       "data_offsets of 'a' has 3 numbers, expected 2"},
      {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,)"
       R"(1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,8]}})",
       "'a' has more than 32 dims"},
      {R"({"a":{"dtype":"F32","shape":[18446744073709551632],)"
       R"("data_offsets":[0,8]}})",
       "a number of more than 64 bits"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", "lacks"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
       R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "tensor 'a' occurs twice"},
      {R"({"a":[]})", "a list"},
      {R"([])", "a list"},
      {R"(3)", "a number"},
      {R"({"a":{"dtype":"F32","more":{}}})", "an object"},
      {R"({"__metadata__":{"a":1}})", "a number"},
      {"{", "not valid JSON"},
      {"", "not valid JSON"},
      {"{\"\xff\":{}}", "not valid JSON"},
  };
  for (const auto &[header, reason] : cases) {
    std::string message = refusal(header, 8);
    EXPECT_NE(message.find(reason), std::string::npos) << header << "\n"
                                                       << message;
  }
}

// A header that is longer than the file is told apart from a malformed one.
TEST(SafeTensorsTest, refusesCutFiles) {
  std::vector<std::byte> file = makeFile(goodHeader, 0);
  file.resize(8 + 5);
  auto read = SafeTensors::fromBytes(file);
  EXPECT_EQ(read.status().message(),
            "not a safetensors file, or cut off: its first 8 bytes announce a "
            "header of " +
                std::to_string(std::string_view(goodHeader).size()) +
                " bytes, 5 follow, and at most 100000000 are allowed; copy or "
                "save it again");
}

// A file of another kind is called by its name.
TEST(SafeTensorsTest, namesForeignFiles) {
  const std::string array = "\x93NUMPY" + std::string(100, ' ');
  auto read = SafeTensors::fromBytes(std::as_bytes(std::span(array)));
  EXPECT_EQ(read.status().message(),
            "not a safetensors file: it is a numpy array (.npy); save the "
            "tensors with safetensors");
}

// A header of nothing but nested lists ends at the first.
TEST(SafeTensorsTest, refusesDeepHeaders) {
  EXPECT_FALSE(refusal(std::string(10'000'000, '['), 0).empty());
  EXPECT_FALSE(refusal(std::string(10'000'000, '{'), 0).empty());
}

// What is written is read back, at aligned addresses, in the same bytes however
// the tensors are ordered.
TEST(SafeTensorsTest, roundTrips) {
  std::string path = testing::TempDir() + "/weir-safetensors-test";
  uint8_t bytes[] = {1, 2, 3};
  double numbers[] = {0.5, -0.5};
  NamedTensor a{"a", TensorDesc::rowMajor(DType::U8, {3}),
                std::as_bytes(std::span(bytes))};
  NamedTensor b{"b \"quoted\"", TensorDesc::rowMajor(DType::F64, {1, 2}),
                std::as_bytes(std::span(numbers))};
  ASSERT_TRUE(writeSafeTensors(path, {a, b}, {{"made", "by a test"}}).isOk());
  ASSERT_TRUE(
      writeSafeTensors(path + "2", {b, a}, {{"made", "by a test"}}).isOk());
  auto file = SafeTensors::open(path), second = SafeTensors::open(path + "2");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->metadata().at("made"), "by a test");
  auto read = file->tensor("b \"quoted\"");
  ASSERT_TRUE(read.isOk());
  EXPECT_EQ(read->desc, b.desc);
  EXPECT_EQ(std::memcmp(read->bytes.data(), numbers, sizeof(numbers)), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read->bytes.data()) % 64, 0u);
  EXPECT_EQ(std::filesystem::file_size(path),
            std::filesystem::file_size(path + "2"));
  EXPECT_FALSE(writeSafeTensors(path, {a, a}).isOk());
  std::filesystem::remove(path);
  std::filesystem::remove(path + "2");
}

// A text is no damaged file.
TEST(SafeTensorsTest, knowsTexts) {
  const std::string_view text = "weir.parameter @w : tensor<2xf32>\n";
  EXPECT_EQ(
      SafeTensors::fromBytes(std::as_bytes(std::span(text))).status().message(),
      "not a safetensors file: it begins as a text does; save the "
      "tensors with safetensors");
}

// What may change is read. A file that shrinks behind its header is an error,
// where a mapped one would end the process; what is whole is still read.
TEST(SafeTensorsTest, readsFilesThatShrink) {
  const std::string path = testing::TempDir() + "/weir-safetensors-shrinks";
  const std::vector<float> few(3, 0.5f), many(1 << 20, 0.25f);
  const auto named = [](const char *name, std::span<const float> values) {
    return NamedTensor{
        name, TensorDesc::rowMajor(DType::F32, {int64_t(values.size())}),
        std::as_bytes(values)};
  };
  ASSERT_TRUE(writeSafeTensors(
                  path, {named("a", few), named("b", many), named("c", {})})
                  .isOk());
  const auto file = SafeTensors::read(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_NE(file->tensor("c")->bytes.data(), nullptr);
  const auto whole = file->tensor("b");
  ASSERT_TRUE(whole.isOk()) << whole.status().message();
  EXPECT_EQ(std::memcmp(whole->bytes.data(), many.data(), whole->bytes.size()),
            0);
  std::filesystem::resize_file(path, 100'000);
  EXPECT_EQ(file->desc("b")->toString(), "1048576xf32");
  EXPECT_TRUE(file->tensor("a").isOk());
  const std::string error(file->tensor("b").status().message());
  EXPECT_TRUE(error.starts_with("cannot read '" + path +
                                "': the file ends at byte 100000, but had "))
      << error;
  std::filesystem::resize_file(path, 10);
  EXPECT_FALSE(SafeTensors::read(path).isOk());
  std::filesystem::remove(path);
}

// A look at a file takes no memory for its tensors, which would not fit into
// that of this machine.
TEST(SafeTensorsTest, looksWithoutMemory) {
  const std::string path = testing::TempDir() + "/weir-safetensors-large";
  constexpr uint64_t dataBytes = uint64_t(1) << 42;
  const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":)"
                             R"("U8","shape":[4398046511104],)"
                             R"("data_offsets":[0,4398046511104]}})";
  const auto front = makeFile(header, 0);
  ASSERT_TRUE(atomicWriteFile(path, front).isOk());
  std::error_code error;
  std::filesystem::resize_file(path, front.size() + dataBytes, error);
  if (error) {
    std::filesystem::remove(path);
    GTEST_SKIP() << "the file system has no such large files";
  }
  const auto file = SafeTensors::read(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->metadata().at("format"), "pt");
  EXPECT_EQ(file->desc("a")->toString(), "4398046511104xu8");
  EXPECT_EQ(file->entries().at("a").size, dataBytes);
}

// Damages end in tensors or a message.
TEST(SafeTensorsTest, survivesDamage) {
  auto file = makeFile(goodHeader, 19);
  for (unsigned seed = 0; seed < 10000; ++seed) {
    auto damaged = SafeTensors::fromBytes(damage(file, seed));
    if (!damaged) {
      EXPECT_FALSE(damaged.status().message().empty());
      continue;
    }
    unsigned sum = 0;
    for (const auto &[name, entry] : damaged->entries())
      for (std::byte value : entry.bytes)
        sum += static_cast<unsigned>(value);
    EXPECT_LE(sum, 255u * (file.size() + 1000));
  }
}
