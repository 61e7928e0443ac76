//===- IndexCheckAttrs.cpp - Attributes for checking indices --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexCheckAttrs.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;

Status weir::malformedIndexChecks(std::string_view what) {
  return dataLoss(fmt::format("a kernel's checks of indices are malformed: {}; "
                              "compile the model again",
                              what));
}

StatusOr<std::vector<IndexCheck>> weir::parseIndexChecks(const AttrMap &attrs) {
  std::span<const int64_t> numbers = attrs.ints(indexChecksAttr);
  std::string_view ops = attrs.textOr(indexOpsAttr, "");
  std::vector<IndexCheck> checks;
  while (!numbers.empty()) {
    if (numbers.size() < 3 || numbers[1] < 1 ||
        numbers[1] > static_cast<int64_t>(numbers.size()) - 2)
      return malformedIndexChecks("their number is wrong");
    const auto numSizes = static_cast<size_t>(numbers[1]);
    const std::string_view op = ops.substr(0, ops.find('\n'));
    checks.push_back({numbers[0], numbers.subspan(2, numSizes), op});
    numbers = numbers.subspan(2 + numSizes);
    ops.remove_prefix(std::min(op.size() + 1, ops.size()));
  }
  return checks;
}

Status weir::indexOutOfRange(std::string_view index, std::string_view op,
                             int64_t size, bool isUnsigned) {
  return invalidArgument(fmt::format(
      "{} of op '{}' is out of range for a dim of {}, expected {} to {}; "
      "correct the input that it comes from",
      index, op, size, isUnsigned ? 0 : -size, size - 1));
}
