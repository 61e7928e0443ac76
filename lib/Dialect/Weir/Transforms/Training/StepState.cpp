//===- StepState.cpp - What steps add to a module ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepState.h"

#include "TrainingStep.h"

#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/Training.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

StepState::StepState(ModuleOp module) : module(module), symbols(module) {
  module.walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      used.insert(read.getParameter());
    if (auto assign = dyn_cast<AssignOp>(op)) {
      used.insert(assign.getParameter());
      assigned.insert(assign.getParameter());
    }
  });
  // A parameter is in one bucket at most.
  for (auto bucket : module.getOps<BucketOp>())
    for (auto name : bucket.getParameters().getAsRange<FlatSymbolRefAttr>())
      assigned.insert(name.getValue());
}

/// Reports that `known` has the name of a parameter that `op` needs.
static LogicalResult refuse(MinimizeOp op, StringRef name, Type type,
                            Operation *known, StringRef reason) {
  InFlightDiagnostic error = op.emitOpError("needs a parameter '")
                             << name << "' of type " << type
                             << " for its own use, but " << reason
                             << "; rename that one";
  error.attachNote(known->getLoc()) << "declared here";
  return error;
}

FailureOr<ParameterOp> StepState::getStep(MinimizeOp op) {
  if (ParameterOp step = declareStep(module, op.getLoc()))
    return step;
  Operation *known = SymbolTable::lookupSymbolIn(module, "step");
  InFlightDiagnostic error = op.emitOpError(
      "counts runs in a parameter 'step' of type 'tensor<i64>', but what is "
      "declared is another; rename that one");
  error.attachNote(known->getLoc()) << "declared here";
  return error;
}

FailureOr<ParameterOp> StepState::getState(StringRef name, Type type,
                                           double initial, MinimizeOp op) {
  if (Operation *known = symbols.lookup(name)) {
    auto parameter = dyn_cast<ParameterOp>(known);
    StringRef reason;
    if (!parameter)
      reason = "something else has the name";
    else if (parameter.getType() != type)
      reason = "the one that is declared has another type";
    else if (!made.contains(name) && used.contains(name))
      reason = "the graph uses it";
    if (reason.empty())
      return parameter;
    return refuse(op, name, type, known, reason);
  }
  OpBuilder builder(module.getContext());
  auto parameter = ParameterOp::create(
      builder, NameLoc::get(builder.getStringAttr(name), op.getLoc()),
      builder.getStringAttr(name), TypeAttr::get(type), StringAttr(),
      StringAttr(), IntegerAttr(), ElementsAttr(), UniformAttr(),
      toDictionary(NamedOptions{"constant", {{"value", initial}}},
                   module.getContext()));
  symbols.insert(parameter, module.getBody()->begin());
  made.insert(name);
  return parameter;
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

/// Joins names by line ends, which no name contains.
static std::string toKey(ArrayRef<StringRef> parameters) {
  return llvm::join(parameters, "\n");
}

void StepState::noteTogether(ArrayRef<StringRef> parameters) {
  const std::string key = toKey(parameters);
  for (StringRef name : parameters) {
    auto [known, isNew] = together.try_emplace(name, key);
    if (!isNew && known->second != key)
      known->second.clear();
  }
}

bool StepState::areAlwaysTogether(ArrayRef<StringRef> parameters) const {
  const std::string key = toKey(parameters);
  return llvm::all_of(parameters, [&](StringRef name) {
    return together.lookup(name) == key && !assigned.contains(name);
  });
}

BucketOp StepState::getBucket(ArrayRef<StringRef> parameters, StringRef name,
                              Location location) {
  BucketOp &known = buckets[toKey(parameters)];
  if (known)
    return known;
  OpBuilder builder(module.getContext());
  SmallVector<Type> types;
  SmallVector<Attribute> parts;
  for (StringRef parameter : parameters) {
    types.push_back(symbols.lookup<ParameterOp>(parameter).getType());
    parts.push_back(FlatSymbolRefAttr::get(builder.getContext(), parameter));
  }
  Type element = cast<RankedTensorType>(types.front()).getElementType();
  auto type = RankedTensorType::get({layOutBucket(types)->size}, element);
  const StringRef base = name.empty() ? StringRef("trained") : name;
  known = BucketOp::create(builder, location, builder.getStringAttr(base),
                           TypeAttr::get(type), builder.getArrayAttr(parts));
  // The bucket comes after its parameters. The symbol table makes its name
  // unique.
  symbols.insert(known, module.getBody()->end());
  return known;
}
