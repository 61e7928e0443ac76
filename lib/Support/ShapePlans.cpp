//===- ShapePlans.cpp - The shapes of the plans of an entry -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ShapePlans.h"

#include "weir/Support/IndexSpec.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace weir;

namespace {
/// An input and its shapes, in the order in which they were given.
struct InputShapes {
  std::string input;
  std::vector<std::vector<int64_t>> shapes;
  bool areOwn = false;
};
} // namespace

static std::vector<InputShapes> sortByInput(const GivenShapes &given) {
  std::vector<InputShapes> inputs;
  std::map<std::string_view, size_t> numbers;
  for (bool isOwn : {true, false})
    for (const ShapeOption &option : isOwn ? given.own : given.shared) {
      auto [number, isNew] = numbers.try_emplace(option.input, inputs.size());
      if (isNew)
        inputs.push_back({option.input, {}, isOwn});
      if (inputs[number->second].areOwn == isOwn)
        inputs[number->second].shapes.push_back(option.dims);
    }
  return inputs;
}

/// The number of plans. It is an error if inputs give different numbers.
static StatusOr<size_t> countPlans(const std::vector<InputShapes> &inputs) {
  const InputShapes *longest = nullptr;
  for (const InputShapes &input : inputs)
    if (!longest || input.shapes.size() > longest->shapes.size())
      longest = &input;
  const size_t count = longest ? longest->shapes.size() : 1;
  for (const InputShapes &input : inputs)
    if (input.shapes.size() != 1 && input.shapes.size() != count)
      return invalidArgument(fmt::format(
          "--shape gives {} shapes of '{}', but {} of '{}'; give each input "
          "one shape for all plans, or one for each plan",
          input.shapes.size(), input.input, count, longest->input));
  return count;
}

StatusOr<std::vector<ShapePlan>> weir::planShapes(const GivenShapes &given) {
  const std::vector<InputShapes> inputs = sortByInput(given);
  WEIR_ASSIGN_OR_RETURN(const size_t count, countPlans(inputs));
  std::vector<ShapePlan> plans(count);
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < count; ++i) {
    ShapePlan &plan = plans[i];
    for (const InputShapes &input : inputs) {
      const bool differs = input.shapes.size() > 1;
      plan.shapes.push_back({input.input, input.shapes[differs ? i : 0]});
      if (differs)
        plan.name += fmt::format("{}{}:{}", plan.name.empty() ? "" : ",",
                                 input.input, shapeToString(input.shapes[i]));
    }
    auto [other, isNew] = known.try_emplace(plan.name, i);
    if (!isNew)
      return invalidArgument(
          fmt::format("--shape gives plans {} and {} the same shapes, {}; give "
                      "each plan once",
                      other->second + 1, i + 1, plan.name));
  }
  return plans;
}

std::string weir::nameShapePlan(std::string_view entry, const ShapePlan &plan) {
  return plan.name.empty() ? std::string(entry)
                           : fmt::format("{}[{}]", entry, plan.name);
}
