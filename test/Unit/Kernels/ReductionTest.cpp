//===- ReductionTest.cpp - reduction against plain loops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weir;
using namespace weir::test;

namespace {
struct Reducer {
  const char *algorithm;
  double start;
  double (*join)(double, double);
};
} // namespace

static const Reducer reducers[] = {
    {"reduction_sum", 0, [](double a, double b) { return a + b; }},
    {"reduction_mean", 0, [](double a, double b) { return a + b; }},
    {"reduction_mul", 1, [](double a, double b) { return a * b; }},
    {"reduction_max", -INFINITY,
     [](double a, double b) { return std::max(a, b); }},
    {"reduction_min", INFINITY,
     [](double a, double b) { return std::min(a, b); }},
};

static Array reduce(const Reducer &reducer, const Array &x, const Dims &axes,
                    bool keepDims) {
  std::vector<bool> reduced(x.dims.size(), axes.empty());
  for (int64_t axis : axes)
    reduced[axis < 0 ? axis + x.dims.size() : axis] = true;
  auto project = [&](const Dims &index, int64_t unit) {
    Dims kept;
    for (size_t i = 0; i < index.size(); ++i)
      if (!reduced[i])
        kept.push_back(index[i]);
      else if (keepDims)
        kept.push_back(unit);
    return kept;
  };
  Array result(project(x.dims, 1), reducer.start);
  forEachIndex(x.dims, [&](const Dims &index) {
    double &value = result.at(project(index, 0));
    value = reducer.join(value, x.at(index));
  });
  if (std::string(reducer.algorithm) == "reduction_mean")
    for (double &value : result.values)
      value *= static_cast<double>(result.values.size()) / x.values.size();
  return result;
}

// Every set of axes, kept or dropped, of tensors in both layouts.
TEST(Reduction, MatchesDefinition) {
  Array x = patterned({2, 5, 4, 3}, 1);
  Dims axesLists[] = {{},     {0},    {1},    {-1},   {2},       {0, 1},
                      {2, 3}, {1, 3}, {0, 2}, {0, 3}, {0, 2, 3}, {0, 1, 2, 3}};
  for (const Reducer &reducer : reducers)
    for (const Dims &axes : axesLists)
      for (bool keepDims : {false, true})
        for (bool last : {false, true})
          for (DType type : {DType::F32, DType::BF16}) {
            Array expected = reduce(reducer, x, axes, keepDims);
            KernelTester("reduction")
                .attr("algorithm", std::string(reducer.algorithm))
                .attr("axes", axes)
                .attr("keepdims", Dims{keepDims})
                .operand(inLayout(last, type, x.dims), x)
                .result(rowMajor(type, expected.dims))
                .expect(expected, type == DType::F32 ? 1e-5 : 2e-2);
          }
}

// The result may be strided, and post-ops follow.
TEST(Reduction, WritesStridedResults) {
  Array x = patterned({4, 6, 5}, 1);
  Array expected = reduce(reducers[0], x, {1}, false);
  for (double &value : expected.values)
    value = std::abs(value);
  for (const Dims &strides : {Dims{5, 1}, Dims{1, 4}, Dims{20, 2}})
    KernelTester("reduction")
        .attr("algorithm", std::string("reduction_sum"))
        .attr("axes", Dims{1})
        .operand(rowMajor(DType::F32, x.dims), x)
        .result({DType::F32, {4, 5}, strides})
        .postOp("eltwise_abs", 0, 0)
        .expect(expected);
}
