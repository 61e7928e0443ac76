//===- ParameterMemoryTest.cpp - Parameters in the host's memory ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Loading/ParameterMemory.h"
#include "SmallPlans.h"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

/// Reads one parameter of `size` elements, which are 0, 1, 2 ...
class ParameterMemoryTest : public testing::Test {
protected:
  static constexpr int64_t size = 1000;

  void SetUp() override {
    PlanBuilder plan;
    plan.device("test:0");
    Floats values(size);
    std::iota(values.begin(), values.end(), 0.0f);
    const uint32_t x = plan.input("x", size), y = plan.output("y", size);
    plan.on(0).launch("y", "add", {x, plan.parameter(values)}, {y});
    bytes = plan.bytes();
  }

  /// Opens the artifact in `bytes`.
  void open(bool mayRead = true) {
    auto opened = artifact::Artifact::fromBytes(bytes);
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    artifact.emplace(std::move(*opened));
    auto made =
        ParameterMemory::create(*artifact, mayRead, /*weights=*/nullptr);
    ASSERT_TRUE(made.isOk());
    memory = std::move(*made);
  }

  /// Reads elements [begin, end) of an operand that begins at element `first`.
  Status readPart(ConstantReader &reader, int64_t first, int64_t begin,
                  int64_t end) {
    WEIR_ASSIGN_OR_RETURN(const void *part,
                          reader.read(static_cast<uint64_t>(begin) * 4,
                                      static_cast<uint64_t>(end - begin) * 4));
    const auto *values = static_cast<const float *>(part);
    for (int64_t i = begin; i < end; ++i)
      EXPECT_EQ(values[i - begin], static_cast<float>(first + i));
    return Status::ok();
  }

  struct Part {
    int64_t begin, end;
  };
  /// Reads parts of an operand that begins at element `first`.
  Status readParts(const std::vector<Part> &parts, int64_t first = 0) {
    return memory->read(memory->address(0) + first * 4,
                        [&](ConstantReader &reader) {
                          Status status = Status::ok();
                          for (const auto &[begin, end] : parts)
                            if (status.isOk())
                              status = readPart(reader, first, begin, end);
                          return status;
                        });
  }

  /// Damages element `index` of the parameter.
  void damage(int64_t index) {
    const float value = size - 1;
    const auto *wanted = reinterpret_cast<const std::byte *>(&value);
    auto last = std::search(bytes.begin(), bytes.end(), wanted, wanted + 4);
    ASSERT_NE(last, bytes.end());
    *(last - (size - 1 - index) * 4) ^= std::byte(1);
  }

  std::vector<std::byte> bytes;
  std::optional<artifact::Artifact> artifact;
  std::unique_ptr<ParameterMemory> memory;
};

} // namespace

TEST_F(ParameterMemoryTest, ReadsPartsInAnyOrder) {
  open();
  const std::vector<std::vector<Part>> orders = {
      {{0, size}},
      {{0, 300}, {300, 700}, {700, size}},
      {{700, size}, {300, 700}, {0, 300}},
      {{0, 300}, {600, size}, {100, 700}},
      {{0, 500}, {100, 200}, {500, size}, {0, size}},
      {{0, 10}},
      {}};
  for (const std::vector<Part> &parts : orders)
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Status status = readParts(parts);
      EXPECT_TRUE(status.isOk()) << status.message();
    }
}

// An operand may begin within a parameter.
TEST_F(ParameterMemoryTest, KnowsWhatIsAtAnAddress) {
  open();
  const artifact::Blob &blob = *artifact->model().blobs()->Get(0);
  const std::byte *address = memory->address(0);
  WeightContent content{blob.hash(), size * 4, 0, "", size * 4};
  EXPECT_EQ(memory->contentAt(address), content);
  content.offset = size * 4 - 4;
  EXPECT_EQ(memory->contentAt(address + size * 4 - 4), content);
  EXPECT_EQ(memory->contentAt(address + size * 4), std::nullopt);
  EXPECT_EQ(memory->contentAt(address - 1), std::nullopt);
  EXPECT_EQ(memory->contentAt(&content), std::nullopt);
}

// Where memory is only counted, a blob has an address and is not read. Nothing
// can be written there, so that no system has to provide memory.
TEST_F(ParameterMemoryTest, ReadsNothingIfItMayNot) {
  open(/*mayRead=*/false);
  artifact->closeBlobs();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], memory->address(0), 1), -1);
  EXPECT_EQ(errno, EFAULT);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(memory
                  ->read(memory->address(0),
                         [](ConstantReader &) {
                           ADD_FAILURE() << "something is read";
                           return Status::ok();
                         })
                  .isOk());
  EXPECT_TRUE(
      memory->visit(0, [](auto) { return internalError("read"); }).isOk());
  EXPECT_TRUE(memory->readInPlace(0).isOk());
}

// An operand may be a part of its blob.
TEST_F(ParameterMemoryTest, ReadsOperandsInsideOfABlob) {
  open();
  EXPECT_TRUE(readParts({{0, 200}, {200, 900}}, 100).isOk());
  EXPECT_TRUE(readParts({{400, 900}, {0, 400}}, 100).isOk());
}

TEST_F(ParameterMemoryTest, RefusesPartsOutside) {
  open();
  for (const auto &[begin, end] : {Part{0, size + 1}, Part{size + 1, size + 2}})
    EXPECT_NE(readParts({{begin, end}}).message().find("a kernel packs"),
              std::string::npos);
}

// The whole blob is compared with its hash, whatever was read of it.
TEST_F(ParameterMemoryTest, FindsDamage) {
  damage(600);
  open();
  const std::vector<std::vector<Part>> orders = {
      {{0, 100}}, {{0, 100}, {100, 600}}, {{601, size}}, {{900, size}, {0, 9}}};
  for (const std::vector<Part> &parts : orders)
    EXPECT_NE(readParts(parts).message().find("is damaged"), std::string::npos);
}
