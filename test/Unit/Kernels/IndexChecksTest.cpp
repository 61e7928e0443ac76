//===- IndexChecksTest.cpp - Tests of the checks of indices -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/CPU/IndexChecks.h"

#include "weir/Support/IndexCheckAttrs.h"

#include <gtest/gtest.h>

#include <limits>

using namespace weir;
using namespace weir::cpu;

namespace {

using Ints = std::vector<int64_t>;

KernelSpec reads(TensorDesc indices, Ints checks) {
  KernelSpec spec;
  spec.operands = {std::move(indices)};
  spec.attrs.set(std::string(indexChecksAttr), std::move(checks));
  spec.attrs.set(std::string(indexOpsAttr), std::string("first\nsecond"));
  return spec;
}

template <typename T>
std::string errorOf(const KernelSpec &spec, const std::vector<T> &indices) {
  StatusOr<IndexChecks> checks = IndexChecks::read(spec);
  if (!checks.isOk())
    return std::string(checks.status().message());
  void *buffer = const_cast<T *>(indices.data());
  return std::string(checks->run(&buffer).message());
}

// A u64 never counts from the end.
TEST(IndexChecks, TakesUnsignedIndicesAsTheyAre) {
  const KernelSpec spec =
      reads(TensorDesc::rowMajor(DType::U64, {3}), {0, 1, 5});
  EXPECT_EQ(errorOf(spec, std::vector<uint64_t>{0, 4, 3}), "");
  EXPECT_EQ(errorOf(spec, std::vector<uint64_t>{0, UINT64_MAX, 3}),
            "index 18446744073709551615 of op 'first' is out of range for a "
            "dim of 5, expected 0 to 4; correct the input that it comes from");
}

// Every index is checked, in types of any width. Both ends of the range are
// valid.
TEST(IndexChecks, LooksAtEveryIndex) {
  TensorDesc desc = TensorDesc::rowMajor(DType::I16, {3, 17});
  for (size_t place = 0; place < 51; ++place) {
    std::vector<int16_t> indices(51, 4);
    indices[place] = -5;
    EXPECT_EQ(errorOf(reads(desc, {0, 1, 5}), indices), "") << place;
    indices[place] = 5;
    EXPECT_EQ(errorOf(reads(desc, {0, 1, 5}), indices),
              "index 5 of op 'first' is out of range for a dim of 5, expected "
              "-5 to 4; correct the input that it comes from")
        << place;
  }
  EXPECT_NE(errorOf(reads(TensorDesc::rowMajor(DType::U8, {2}), {0, 1, 200}),
                    std::vector<uint8_t>{199, 200})
                .find("index 200"),
            std::string::npos);
  EXPECT_EQ(errorOf(reads(TensorDesc::rowMajor(DType::U32, {2}), {0, 1, 9}),
                    std::vector<uint32_t>{8, 0}),
            "");
  EXPECT_NE(errorOf(reads(TensorDesc::rowMajor(DType::U16, {2}), {0, 1, 9}),
                    std::vector<uint16_t>{8, 9})
                .find("index 9"),
            std::string::npos);
  EXPECT_EQ(errorOf(reads(TensorDesc::rowMajor(DType::I64, {0}), {0, 1, 0}),
                    std::vector<int64_t>{}),
            "");
}

// No index and no size is too large for the check.
TEST(IndexChecks, KnowsTheLargestNumbers) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const TensorDesc &desc : {TensorDesc::rowMajor(DType::I64, {2}),
                                 TensorDesc{DType::I64, {2}, {3}}})
    for (int64_t size : {int64_t{0}, int64_t{1}, most})
      for (int64_t index : {least, -most, int64_t{-2}, int64_t{-1}, int64_t{0},
                            int64_t{1}, most - 1, most})
        EXPECT_EQ(errorOf(reads(desc, {0, 1, size}), Ints(4, index)).empty(),
                  index >= -size && index < size)
            << index << " of " << size;
}

// With another memory order, gaps are not checked, and the elements of the last
// dim each have a range. The second check belongs to the second op.
TEST(IndexChecks, FollowsStridesAndRanges) {
  TensorDesc desc = TensorDesc::rowMajor(DType::I32, {3, 2});
  desc.strides = {1, 4};
  // 99 is in a gap.
  std::vector<int32_t> indices = {6, -7, 6, 99, 1, 1, -2, 99};
  EXPECT_EQ(errorOf(reads(desc, {0, 2, 7, 2}), indices), "");
  EXPECT_NE(errorOf(reads(desc, {0, 2, 7, 2, 0, 2, 8, 1}), indices)
                .find("index 1 of op 'second' is out of range for a dim of 1"),
            std::string::npos);
}

// Labels never count from the end. One of them is ignored, wherever it lies.
TEST(IndexChecks, LooksAtLabels) {
  const TensorDesc desc = TensorDesc::rowMajor(DType::I8, {4});
  const KernelSpec outside = reads(desc, {0, labelsMark, 3, -100});
  EXPECT_EQ(errorOf(outside, std::vector<int8_t>{0, 2, -100, 1}), "");
  EXPECT_EQ(errorOf(outside, std::vector<int8_t>{0, 2, -100, 3}),
            "label 3 of op 'first' is out of range for a dim of 3, expected 0 "
            "to 2, or -100, which is ignored; correct the input that it comes "
            "from");
  EXPECT_NE(errorOf(outside, std::vector<int8_t>{-1, 2, -100, 0})
                .find("label -1 of op 'first'"),
            std::string::npos);
  const KernelSpec inside = reads(desc, {0, labelsMark, 3, 1, 0, 1, 2});
  EXPECT_EQ(errorOf(inside, std::vector<int8_t>{0, 1, 1, 0}), "");
  EXPECT_NE(errorOf(inside, std::vector<int8_t>{0, 1, 2, 0})
                .find("index 2 of op 'second' is out of range for a dim of 2"),
            std::string::npos);
  const KernelSpec bytes =
      reads(TensorDesc::rowMajor(DType::U8, {2}), {0, labelsMark, 3, 255});
  EXPECT_EQ(errorOf(bytes, std::vector<uint8_t>{2, 255}), "");
  EXPECT_NE(errorOf(bytes, std::vector<uint8_t>{254, 255}).find("label 254"),
            std::string::npos);
}

// Damaged attributes are refused.
TEST(IndexChecks, RefusesMalformedOnes) {
  TensorDesc desc = TensorDesc::rowMajor(DType::I64, {3, 2});
  auto refusal = [&](Ints checks) {
    return errorOf(reads(desc, std::move(checks)), std::vector<int64_t>(6, 0));
  };
  for (const Ints &checks : {Ints{0}, Ints{0, 1}, Ints{0, 0, 1}, Ints{0, 2, 5},
                             Ints{0, int64_t{1} << 62, 5}, Ints{0, -2, 5, 5},
                             Ints{0, labelsMark, 5}, Ints{0, labelsMark}})
    EXPECT_NE(refusal(checks).find("number is wrong"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 5}).find("no such operand"), std::string::npos);
  EXPECT_NE(refusal({-1, 1, 5}).find("no such operand"), std::string::npos);
  EXPECT_NE(refusal({0, 3, 5, 5, 5}).find("another size"), std::string::npos);
  EXPECT_NE(refusal({0, 1, -5}).find("negative"), std::string::npos);
  desc.type = DType::F32;
  EXPECT_NE(refusal({0, 1, 5}).find("holds no integers"), std::string::npos);
}

} // namespace
