//===- HostViewTest.cpp - Views of vectors and arrays -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/HostView.h"

#include "SmallPlans.h"

#include <array>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

template <typename Range>
concept Viewable = requires(Range range) {
  view(std::forward<Range>(range), {1});
};
// Memory that ends with the expression, and bits, have no view.
static_assert(Viewable<std::vector<float> &>);
static_assert(Viewable<std::span<const float>>);
static_assert(!Viewable<std::vector<float>>);
static_assert(!Viewable<std::vector<bool> &>);
static_assert(!Viewable<HostTensor>);
// What is const is no output.
static_assert(std::is_convertible_v<HostView<float> &, TensorView>);
static_assert(std::is_convertible_v<HostView<const float> &, ConstTensorView>);
static_assert(!std::is_convertible_v<HostView<const float> &, TensorView>);
// The dims of a temporary would be gone.
static_assert(!std::is_convertible_v<HostView<float>, ConstTensorView>);
static_assert(!std::is_convertible_v<HostView<float>, TensorView>);

static_assert(dtypeOf<bool>() == DType::I1 && dtypeOf<float>() == DType::F32 &&
              dtypeOf<double>() == DType::F64);
static_assert(
    dtypeOf<int8_t>() == DType::I8 && dtypeOf<uint8_t>() == DType::U8 &&
    dtypeOf<int16_t>() == DType::I16 && dtypeOf<uint16_t>() == DType::U16 &&
    dtypeOf<int32_t>() == DType::I32 && dtypeOf<uint32_t>() == DType::U32 &&
    dtypeOf<int64_t>() == DType::I64 && dtypeOf<uint64_t>() == DType::U64 &&
    dtypeOf<long long>() == DType::I64);

// A run reads the elements of a vector, and writes those of an array.
TEST(HostView, AreInputsAndOutputs) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  const std::vector<float> from = {1, 2, 3, 4};
  std::array<float, 4> to = {};
  auto x = view(from, {4});
  auto y = view(to, session->outputs()[0].desc.dims);
  ASSERT_TRUE(x.isOk() && y.isOk());
  const ConstTensorView inputs[] = {*x};
  const TensorView outputs[] = {*y};
  ASSERT_TRUE(session->run(inputs, outputs).isOk());
  EXPECT_EQ(to, (std::array<float, 4>{5, 10, 15, 20}));

  to = {};
  const NamedInput input = {"x", *x};
  const NamedOutput output = {"y", *y};
  ASSERT_TRUE(session->run({&input, 1}, {&output, 1}).isOk());
  EXPECT_EQ(to[3], 20);
}

TEST(HostView, DescribeTheElements) {
  std::vector<int64_t> numbers(12);
  auto matrix = view(std::span(numbers).subspan(2, 6), {2, 3});
  ASSERT_TRUE(matrix.isOk());
  EXPECT_EQ(matrix->desc().toString(), "2x3xi64");
  const TensorView found = *matrix;
  EXPECT_EQ(found.data, numbers.data() + 2);
  EXPECT_EQ(found.bytes, 48u);
  EXPECT_TRUE(found.space.isHost());

  double number = 0;
  auto scalar = view(std::span(&number, 1), {});
  ASSERT_TRUE(scalar.isOk());
  EXPECT_EQ(scalar->desc().toString(), "f64");
  EXPECT_TRUE(view(numbers, {12}).isOk());
  EXPECT_TRUE(view(std::span(numbers).first(0), {2, 0}).isOk());

  std::vector<uint16_t> bits(4);
  auto halves = view(bits, {4}, DType::BF16);
  ASSERT_TRUE(halves.isOk());
  EXPECT_EQ(halves->type(), DType::BF16);
}

TEST(HostView, RefuseWhatDoesNotFit) {
  std::vector<float> values(8);
  const auto refusal = [&](std::vector<int64_t> dims, DType type = DType::F32) {
    return std::string(view(values, std::move(dims), type).status().message());
  };
  EXPECT_EQ(refusal({2, 8}),
            "a tensor of shape [2,8] has 16 elements, found 8");
  EXPECT_EQ(refusal({}), "a tensor of shape [] has 1 element, found 8");
  EXPECT_EQ(refusal({-2, -4}), "the shape [-2,-4] has a negative dim");
  EXPECT_NE(refusal({INT64_MAX, INT64_MAX}).find("is larger than"),
            std::string::npos);
  EXPECT_NE(refusal(std::vector<int64_t>(17, 1)).find("expected at most 16"),
            std::string::npos);
  EXPECT_EQ(refusal({8}, DType::BF16),
            "expected elements that are held as bf16, found floats of 4 bytes; "
            "convert them, or make a tensor of their type");
}

// A HostTensor has its own dims.
TEST(HostView, OfAHostTensor) {
  HostTensor tensor = *HostTensor::zeros(DType::I32, {2, 3});
  const TensorView written = view(tensor);
  EXPECT_EQ(written.data, tensor.data());
  const ConstTensorView read = view(std::as_const(tensor));
  EXPECT_EQ(read.bytes, 24u);
  EXPECT_EQ(read.dims.data(), tensor.dims().data());
}

} // namespace
