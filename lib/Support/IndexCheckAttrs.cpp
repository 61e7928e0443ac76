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

StatusOr<std::vector<IndexCheck>>
weir::parseIndexChecks(std::span<const int64_t> numbers, std::string_view ops) {
  std::vector<IndexCheck> checks;
  while (!numbers.empty()) {
    const bool areLabels = numbers.size() > 1 && numbers[1] == labelsMark;
    const int64_t numSizes = areLabels              ? 1
                             : (numbers.size() > 1) ? numbers[1]
                                                    : 0;
    const auto length = static_cast<size_t>(numSizes) + 2 + areLabels;
    if (numSizes < 1 || length > numbers.size())
      return malformedIndexChecks("their number is wrong");
    const std::string_view op = ops.substr(0, ops.find('\n'));
    checks.push_back(
        {numbers[0], numbers.subspan(2, static_cast<size_t>(numSizes)),
         areLabels ? std::optional(numbers[3]) : std::nullopt, op});
    numbers = numbers.subspan(length);
    ops.remove_prefix(std::min(op.size() + 1, ops.size()));
  }
  return checks;
}

StatusOr<std::vector<IndexCheck>> weir::parseIndexChecks(const AttrMap &attrs) {
  return parseIndexChecks(attrs.ints(indexChecksAttr),
                          attrs.textOr(indexOpsAttr, ""));
}

std::string IndexRange::toString() const {
  std::string text = fmt::format("{} to {}", lowest(), size - 1);
  if (ignored && (*ignored < lowest() || *ignored >= size))
    text += fmt::format(", or {}, which is ignored", *ignored);
  return text;
}

Status weir::indexOutOfRange(std::string_view index, std::string_view op,
                             const IndexRange &range) {
  return invalidArgument(fmt::format(
      "{} of op '{}' is out of range for a dim of {}, expected {}; correct the "
      "input that it comes from",
      index, op, range.size, range.toString()));
}
