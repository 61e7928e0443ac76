//===- TrainingText.cpp - Training options as attributes --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Training.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weir;

static Attribute toAttribute(const OptionValue &value, Builder &builder) {
  if (const auto *truth = std::get_if<bool>(&value))
    return builder.getBoolAttr(*truth);
  if (const auto *integer = std::get_if<int64_t>(&value))
    return builder.getI64IntegerAttr(*integer);
  if (const auto *number = std::get_if<double>(&value))
    return builder.getF64FloatAttr(*number);
  return builder.getI64ArrayAttr(std::get<std::vector<int64_t>>(value));
}

static ArrayAttr toTexts(const std::vector<std::string> &texts,
                         Builder &builder) {
  SmallVector<Attribute> list;
  for (const std::string &text : texts)
    list.push_back(builder.getStringAttr(text));
  return builder.getArrayAttr(list);
}

static void addValues(NamedAttrList &list, const OptionValues &values,
                      Builder &builder) {
  for (const auto &[name, value] : values)
    list.set(name, toAttribute(value, builder));
}

DictionaryAttr weir::toDictionary(const NamedOptions &options,
                                  MLIRContext *context) {
  Builder builder(context);
  NamedAttrList list;
  list.set("name", builder.getStringAttr(options.name));
  addValues(list, options.values, builder);
  return list.getDictionary(context);
}

DictionaryAttr weir::toDictionary(const MinimizeOptions &options,
                                  MLIRContext *context) {
  Builder builder(context);
  NamedAttrList list;
  list.set("optimizer", toDictionary(options.optimizer, context));
  if (!options.schedule.name.empty())
    list.set("schedule", toDictionary(options.schedule, context));
  if (!options.parameters.empty())
    list.set("parameters", toTexts(options.parameters, builder));
  SmallVector<Attribute> groups;
  for (const ParameterGroup &group : options.groups) {
    NamedAttrList numbers;
    numbers.set("parameters", toTexts(group.parameters, builder));
    addValues(numbers, group.values, builder);
    groups.push_back(numbers.getDictionary(context));
  }
  if (!groups.empty())
    list.set("groups", builder.getArrayAttr(groups));
  if (options.clipValue != 0)
    list.set("clip_value", builder.getF64FloatAttr(options.clipValue));
  if (options.clipNorm != 0)
    list.set("clip_norm", builder.getF64FloatAttr(options.clipNorm));
  if (options.accumulate != 1)
    list.set("accumulate", builder.getI64IntegerAttr(options.accumulate));
  return list.getDictionary(context);
}
