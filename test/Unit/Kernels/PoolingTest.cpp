//===- PoolingTest.cpp - Pooling against plain loops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace weir;
using namespace weir::test;

namespace {
struct Case {
  Dims input;
  Dims kernel;
  Dims strides;
  Dims pads;
  Dims dilations;
  bool ceil = false;
};
enum class Kind { Max, AverageInside, AverageWithPadding };
} // namespace

/// ONNX's result size. In ceil mode no window starts in the padding at the end.
static Dims resultDims(const Case &c) {
  size_t spatial = c.kernel.size();
  Dims dims{c.input[0], c.input[1]};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t room = c.input[i + 2] + c.pads[i] + c.pads[i + spatial] -
                   (c.kernel[i] - 1) * c.dilations[i] - 1;
    int64_t size = room / c.strides[i] + 1;
    bool another = c.ceil && room % c.strides[i] != 0 &&
                   size * c.strides[i] < c.input[i + 2] + c.pads[i];
    dims.push_back(size + another);
  }
  return dims;
}

static Array pool(const Case &c, const Array &x, Kind kind) {
  size_t spatial = c.kernel.size();
  return computed(resultDims(c), [&](const Dims &o) {
    double sum = 0, max = -INFINITY;
    int64_t inside = 0, withPadding = 0;
    forEachIndex(c.kernel, [&](const Dims &k) {
      Dims at{o[0], o[1]};
      bool isInside = true, isPadding = true;
      for (size_t i = 0; i < spatial; ++i) {
        int64_t cell =
            o[i + 2] * c.strides[i] - c.pads[i] + k[i] * c.dilations[i];
        isInside &= cell >= 0 && cell < c.input[i + 2];
        isPadding &= cell < c.input[i + 2] + c.pads[i + spatial];
        at.push_back(cell);
      }
      withPadding += isPadding;
      if (!isInside)
        return;
      ++inside;
      sum += x.at(at);
      max = std::max(max, x.at(at));
    });
    if (kind == Kind::Max)
      return max;
    return sum / (kind == Kind::AverageInside ? inside : withPadding);
  });
}

static KernelTester testerFor(const Case &c, Kind kind) {
  KernelTester tester(kind == Kind::Max ? "max_pool" : "average_pool");
  tester.attr("kernel_shape", c.kernel)
      .attr("strides", c.strides)
      .attr("pads", c.pads)
      .attr("dilations", c.dilations)
      .attr("ceil_mode", Dims{c.ceil});
  if (kind != Kind::Max)
    tester.attr("count_include_pad", Dims{kind == Kind::AverageWithPadding});
  return tester;
}

static const Kind kinds[] = {Kind::Max, Kind::AverageInside,
                             Kind::AverageWithPadding};

static void check(const Case &c) {
  Array x = patterned(c.input, 1);
  for (Kind kind : kinds) {
    Array expected = pool(c, x, kind);
    for (DType type : {DType::F32, DType::BF16})
      for (bool last : {false, true}) {
        SCOPED_TRACE(inLayout(last, type, c.input).toString() + " kind " +
                     std::to_string(static_cast<int>(kind)));
        testerFor(c, kind)
            .operand(inLayout(last, type, c.input), x)
            .result(inLayout(last, type, expected.dims))
            .expect(expected, type == DType::F32 ? 1e-5 : 1.2e-2);
      }
  }
}

// Strides, uneven padding and both counts of the average over 1 to 3 spatial
// dims.
TEST(Pooling, MatchesDefinition) {
  check({{2, 3, 9}, {3}, {2}, {1, 0}, {1}});
  check({{2, 16, 9}, {2}, {2}, {0, 0}, {1}});
  check({{1, 5, 8, 7}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}});
  check({{2, 16, 8, 7}, {3, 2}, {1, 2}, {1, 0, 2, 1}, {1, 1}});
  check({{1, 1, 6, 6}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}});
  check({{1, 4, 5, 6, 5}, {2, 3, 2}, {2, 2, 1}, {0, 1, 1, 1, 1, 0}, {1, 1, 1}});
  // The last windows stop before the input does.
  check({{1, 3, 10, 11}, {2, 3}, {4, 5}, {0, 0, 0, 0}, {1, 1}});
}

// Dims in which images and windows have one cell, beside long ones.
TEST(Pooling, LeavesThinDimsOut) {
  check({{2, 16, 9, 1}, {3, 1}, {2, 1}, {1, 0, 1, 0}, {1, 1}});
  check({{1, 3, 1, 8}, {1, 3}, {1, 2}, {0, 1, 0, 0}, {1, 1}, true});
  check({{1, 4, 1, 6, 1}, {1, 3, 1}, {1, 2, 1}, {0, 1, 0, 0, 1, 0}, {1, 1, 1}});
  check({{2, 3, 1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}});
  // One cell, several of a window.
  check({{1, 4, 9, 1}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}});
}

// In ceil mode a window may hang over the padding; the average that includes
// padding does not count what hangs over.
TEST(Pooling, CeilMode) {
  check({{1, 3, 8}, {3}, {2}, {0, 0}, {1}, true});
  check({{2, 16, 8, 8}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}, true});
  check({{1, 5, 8, 7}, {3, 3}, {2, 3}, {1, 1, 1, 0}, {1, 1}, true});
  check({{1, 3, 5, 6, 7},
         {2, 2, 2},
         {2, 2, 2},
         {0, 0, 0, 1, 1, 1},
         {1, 1, 1},
         true});
}

// Post-ops follow the pooling, fused or not.
TEST(Pooling, AppliesPostOps) {
  Case c{{2, 16, 8, 8}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}, true};
  Array x = patterned(c.input, 1);
  for (Kind kind : kinds)
    for (bool last : {false, true})
      for (Dims dims : {Dims{2, 16, 4, 4}, Dims{16, 1, 1}, Dims{4, 1}}) {
        Array extra = patterned(dims, 2);
        Array expected = pool(c, x, kind);
        forEachIndex(expected.dims, [&](const Dims &i) {
          double sum = expected.at(i) + extra.broadcastAt(i);
          expected.at(i) = std::max(sum, 0.0);
        });
        testerFor(c, kind)
            .threads(2)
            .operand(inLayout(last, DType::F32, c.input), x)
            .result(inLayout(last, DType::F32, expected.dims))
            .postOp("binary_add", rowMajor(DType::F32, dims), extra)
            .postOp("eltwise_relu", 0, 0)
            .expect(expected);
      }
}

// Global pooling is one window over all spatial dims.
TEST(Pooling, Global) {
  for (Dims dims : {Dims{2, 5, 9}, Dims{2, 16, 7, 7}, Dims{1, 3, 4, 5, 6},
                    Dims{1, 3, 40, 50}}) {
    Array x = patterned(dims, 1);
    Dims whole(dims.begin() + 2, dims.end()), result{dims[0], dims[1]};
    result.resize(dims.size(), 1);
    Dims ones(whole.size(), 1), zeros(2 * whole.size(), 0);
    Case c{dims, whole, ones, zeros, ones};
    for (DType type : {DType::F32, DType::BF16})
      for (bool last : {false, true})
        for (Kind kind : {Kind::Max, Kind::AverageInside})
          KernelTester(kind == Kind::Max ? "global_max_pool"
                                         : "global_average_pool")
              .operand(inLayout(last, type, dims), x)
              .result(inLayout(last, type, result))
              .expect(pool(c, x, kind), type == DType::F32 ? 1e-5 : 1e-2);
  }
}
