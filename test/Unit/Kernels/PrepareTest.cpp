//===- PrepareTest.cpp - What prepare refuses and packs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Runtime/KernelTable.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace weir;
using namespace weir::test;

static std::string messageOf(KernelTester tester) {
  StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
  return kernel ? "" : std::string(kernel.status().message());
}

static KernelTester matmul(DType type, Dims lhs, Dims rhs, Dims result) {
  KernelTester tester("matmul");
  tester.operand(rowMajor(type, lhs), Array(lhs))
      .operand(rowMajor(type, rhs), Array(rhs))
      .result(rowMajor(type, result));
  return tester;
}

// The table is ordered by name, which look-ups rely on.
TEST(KernelTable, IsOrdered) {
  std::span<const KernelTableEntry> table = cpuKernels();
  EXPECT_TRUE(std::is_sorted(
      table.begin(), table.end(),
      [](const auto &a, const auto &b) { return a.name < b.name; }));
}

// A refusal names the kernel, its shapes, what was expected and what was found.
TEST(Prepare, NamesWhatIsWrong) {
  EXPECT_EQ(messageOf(matmul(DType::I64, {2, 3}, {3, 4}, {2, 4})),
            "kernel 'matmul' of (2x3xi64, 3x4xi64) to (2x4xi64): expected "
            "operands and result of type f32, bf16 or f16, found i64");
  std::string shapes = messageOf(matmul(DType::F32, {2, 3}, {5, 4}, {2, 4}));
  EXPECT_NE(shapes.find("kernel 'matmul' of (2x3xf32, 5x4xf32)"),
            std::string::npos);
  EXPECT_NE(shapes.find("oneDNN refused the shapes"), std::string::npos)
      << shapes;

  KernelTester unknown("eltwise");
  unknown.attr("algorithm", std::string("eltwise_frob"))
      .operand(rowMajor(DType::F32, {2}), Array({2}))
      .result(rowMajor(DType::F32, {2}));
  EXPECT_NE(messageOf(unknown).find("unknown algorithm 'eltwise_frob', "
                                    "expected one of eltwise_abs"),
            std::string::npos);

  KernelTester integers("binary");
  integers.attr("algorithm", std::string("binary_add"))
      .operand(rowMajor(DType::I32, {2}), Array({2}))
      .operand(rowMajor(DType::I32, {2}), Array({2}))
      .result(rowMajor(DType::I32, {2}));
  EXPECT_NE(messageOf(integers).find("found i32"), std::string::npos);

  KernelTester pads("conv");
  pads.attr("pads", Dims{1, 1, 1})
      .operand(rowMajor(DType::F32, {1, 1, 4, 4}), Array({1, 1, 4, 4}))
      .operand(rowMajor(DType::F32, {1, 1, 3, 3}), Array({1, 1, 3, 3}))
      .result(rowMajor(DType::F32, {1, 1, 2, 2}));
  EXPECT_NE(messageOf(pads).find("expected 4 numbers in attribute 'pads', "
                                 "found 3"),
            std::string::npos);
}

// Without elements there is nothing to do, and nothing is done.
TEST(Prepare, AcceptsEmptyResults) {
  EXPECT_EQ(matmul(DType::F32, {0, 3}, {3, 4}, {0, 4}).run().values.size(), 0u);
  KernelTester("reorder")
      .operand(rowMajor(DType::F32, {0, 3}), Array({0, 3}))
      .result(rowMajor(DType::I64, {0, 3}))
      .run();
}

// One team size, one sequence of bits: a product large enough to be split over
// threads gives equal bits in 20 runs.
TEST(Run, RepeatsItsBits) {
  Dims dims{160, 700}, other{700, 90};
  KernelTester tester("matmul");
  tester.threads(2)
      .operand(rowMajor(DType::F32, dims), patterned(dims, 1))
      .operand(rowMajor(DType::F32, other), patterned(other, 2))
      .result(rowMajor(DType::F32, {160, 90}));
  Array first = tester.run();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(tester.run().values, first.values);
}
