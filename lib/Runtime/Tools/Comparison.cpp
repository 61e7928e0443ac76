//===- Comparison.cpp - Is a result what was expected? ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "weir/Support/ElementWalk.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

using namespace weir;

/// A type that holds every element of every type without rounding.
using Wide = long double;

static Wide loadWide(const HostTensor &tensor, int64_t index) {
  if (isFloat(tensor.type()))
    return loadFloat(tensor.type(), tensor.data(), index);
  const int64_t bits = loadInt(tensor.type(), tensor.data(), index);
  return isUnsigned(tensor.type())
             ? static_cast<Wide>(static_cast<uint64_t>(bits))
             : static_cast<Wide>(bits);
}

/// The distance of two elements. It is 0 between two NaNs and between equal
/// infinities. It is infinite between a NaN and a number, and between an
/// infinity and any other number.
static Wide distance(Wide found, Wide expected) {
  if (found == expected || (std::isnan(found) && std::isnan(expected)))
    return 0;
  const Wide error = std::abs(found - expected);
  return std::isnan(error) ? std::numeric_limits<Wide>::infinity() : error;
}

static bool isClose(Wide error, Wide expected, const Tolerance &tolerance) {
  if (error == 0)
    return true;
  return std::isfinite(expected) &&
         error <= static_cast<Wide>(tolerance.atol) +
                      static_cast<Wide>(tolerance.rtol) * std::abs(expected);
}

StatusOr<Comparison> weir::compareTensors(const HostTensor &found,
                                          const HostTensor &expected,
                                          const Tolerance &tolerance) {
  if (found.dims() != expected.dims())
    return invalidArgument(fmt::format("expected {}, found {}",
                                       expected.desc().toString(),
                                       found.desc().toString()));
  constexpr size_t numShown = 10;
  const auto isWorse = [](const Comparison::Element &a,
                          const Comparison::Element &b) {
    return a.error > b.error;
  };
  Comparison result;
  result.numElements = found.desc().numElements();
  // The worst elements so far. They are a heap whose front is the least bad
  // element.
  auto &worst = result.worst;
  for (int64_t i = 0; i < result.numElements; ++i) {
    const Wide a = loadWide(found, i), b = loadWide(expected, i);
    const Wide error = distance(a, b);
    if (isClose(error, b, tolerance))
      continue;
    ++result.numDifferent;
    worst.push_back({i, static_cast<double>(a), static_cast<double>(b),
                     static_cast<double>(error)});
    std::push_heap(worst.begin(), worst.end(), isWorse);
    if (worst.size() > numShown) {
      std::pop_heap(worst.begin(), worst.end(), isWorse);
      worst.pop_back();
    }
  }
  std::sort(worst.begin(), worst.end(), [&](const auto &a, const auto &b) {
    return a.error != b.error ? a.error > b.error : a.index < b.index;
  });
  return result;
}

std::string weir::indexText(int64_t element, const std::vector<int64_t> &dims) {
  return fmt::format("[{}]", fmt::join(unravelIndex(element, dims), ", "));
}

std::string weir::toTable(const Comparison &comparison,
                          const std::vector<int64_t> &dims,
                          std::string_view subject) {
  std::string table =
      fmt::format("{}: {} of {} elements differ; those that differ "
                  "most:\n{:>24} {:>16} {:>16} {:>12}\n",
                  subject, comparison.numDifferent, comparison.numElements,
                  "index", "found", "expected", "error");
  for (const Comparison::Element &element : comparison.worst) {
    table += fmt::format("{:>24} {:>16.8g} {:>16.8g} {:>12.3g}\n",
                         indexText(element.index, dims), element.found,
                         element.expected, element.error);
  }
  return table;
}
