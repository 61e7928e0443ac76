//===- Compare.cpp - Compares values with expected ones ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

using namespace weir;
using namespace weir::opcheck;

/// The distance from 1 to the next number of `type`, times the number of such
/// distances by which a result may be off. Small floats are computed in a wider
/// type and rounded once. Others accumulate the errors of each step and of
/// approximations.
double opcheck::getTolerance(DType type) {
  switch (type) {
  case DType::F64:
    return 64 * std::ldexp(1.0, -52);
  case DType::F32:
    return 64 * std::ldexp(1.0, -23);
  case DType::F16:
    return 2 * std::ldexp(1.0, -10);
  case DType::BF16:
    return 2 * std::ldexp(1.0, -7);
  default:
    return 0;
  }
}

/// The magnitude of the largest finite element.
static double getScale(const HostTensor &tensor) {
  double scale = 0;
  for (int64_t i = 0; i < tensor.desc().numElements(); ++i) {
    double value = std::abs(loadFloat(tensor.type(), tensor.data(), i));
    if (std::isfinite(value))
      scale = std::max(scale, value);
  }
  return scale;
}

static std::vector<int64_t> toIndex(int64_t element,
                                    const std::vector<int64_t> &dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d])
    index[d] = element % dims[d];
  return index;
}

/// The distance of two numbers. It is infinite if one of them is NaN or
/// infinite and the other is not equal to it.
static double getDistance(double expected, double found) {
  if (expected == found || (std::isnan(expected) && std::isnan(found)))
    return 0;
  double distance = std::abs(expected - found);
  return std::isfinite(distance) ? distance : HUGE_VAL;
}

std::string opcheck::findDifference(const HostTensor &expected,
                                    const HostTensor &found, double tolerance) {
  if (expected.desc() != found.desc())
    return fmt::format("expected {}, found {}", expected.desc().toString(),
                       found.desc().toString());
  DType type = expected.type();
  double allowed = tolerance * getScale(expected);
  int64_t numWrong = 0, worst = 0;
  double worstDistance = -1;
  for (int64_t i = 0; i < expected.desc().numElements(); ++i) {
    double distance = getDistance(loadFloat(type, expected.data(), i),
                                  loadFloat(type, found.data(), i));
    // Integers beyond 2^53 may be equal as doubles but differ as integers.
    if (!isFloat(type) && distance == 0 &&
        loadInt(type, expected.data(), i) != loadInt(type, found.data(), i))
      distance = 1;
    numWrong += distance > allowed;
    if (distance > worstDistance) {
      worstDistance = distance;
      worst = i;
    }
  }
  if (numWrong == 0)
    return {};
  return fmt::format(
      "element {} of {}: expected {}, found {}, allowed difference {:.3g}; {} "
      "of {} elements differ",
      toIndex(worst, expected.dims()), expected.desc().toString(),
      loadFloat(type, expected.data(), worst),
      loadFloat(type, found.data(), worst), allowed, numWrong,
      expected.desc().numElements());
}
