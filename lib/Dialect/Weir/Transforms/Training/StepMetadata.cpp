//===- StepMetadata.cpp - What the artifact says of a step ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"

#include "weir/Dialect/Weir/IR/Metadata.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

static std::string spell(Attribute value);

/// The numbers as text, "beta1=0.9, beta2=0.999", without the number `hidden`.
static std::string spellNumbers(DictionaryAttr numbers, StringRef hidden) {
  std::vector<std::string> parts;
  for (NamedAttribute number : numbers)
    if (number.getName() != hidden)
      parts.push_back(fmt::format("{}={}",
                                  std::string_view(number.getName().strref()),
                                  spell(number.getValue())));
  return fmt::format("{}", fmt::join(parts, ", "));
}

static std::string spell(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return fmt::format("{}", number.getValueAsDouble());
  if (auto truth = dyn_cast<BoolAttr>(value))
    return truth.getValue() ? "true" : "false";
  if (auto number = dyn_cast<IntegerAttr>(value))
    return fmt::format("{}", number.getInt());
  if (auto text = dyn_cast<StringAttr>(value))
    return text.str();
  if (auto numbers = dyn_cast<DictionaryAttr>(value))
    return fmt::format("({})", spellNumbers(numbers, ""));
  std::vector<std::string> parts;
  if (auto list = dyn_cast<ArrayAttr>(value))
    for (Attribute each : list)
      parts.push_back(spell(each));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// The name of the optimiser or of the schedule `options`.
static std::string_view nameOf(DictionaryAttr options) {
  return options.getAs<StringAttr>("name").getValue();
}

void weir::addStepMetadata(MinimizeOp op, const TrainingPlan &plan,
                           StringRef entry, size_t index) {
  auto module = op->getParentOfType<ModuleOp>();
  Builder builder(op.getContext());
  SmallVector<Attribute> pairs;
  if (auto others = module->getAttrOfType<ArrayAttr>(attrs::metadata))
    llvm::append_range(pairs, others);
  const std::string prefix =
      index == 0
          ? fmt::format("weir.training.{}.", std::string_view(entry))
          : fmt::format("weir.training.{}.{}.", std::string_view(entry), index);
  auto add = [&](std::string_view key, const std::string &value) {
    pairs.push_back(builder.getStrArrayAttr(
        {StringRef(prefix + std::string(key)), StringRef(value)}));
  };
  add("optimizer", fmt::format("{}({})", nameOf(op.getOptimizer()),
                               spellNumbers(plan.optimizer.numbers, "")));
  add("rate", plan.rate ? fmt::format("{}", *plan.rate) : "an input");
  DictionaryAttr schedule = op.getScheduleAttr();
  add("schedule", schedule ? fmt::format("{}({})", nameOf(schedule),
                                         spellNumbers(schedule, "name"))
                           : "fixed()");
  // The factor of the rate after `a` updates.
  add("rate_factor", plan.schedule.empty() ? "1" : plan.schedule);
  add("accumulate", fmt::format("{}", plan.accumulate));
  add("clip_value", fmt::format("{}", plan.clipValue));
  add("clip_norm", fmt::format("{}", plan.clipNorm));
  if (op.getGroupsAttr())
    add("groups", spell(op.getGroupsAttr()));
  module->setAttr(attrs::metadata, builder.getArrayAttr(pairs));
}
