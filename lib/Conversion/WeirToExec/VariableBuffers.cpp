//===- VariableBuffers.cpp - The variables of an entry --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariableBuffers.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;

/// Adds the variable `parameter`, which is on the same device in all entries.
exec::VariableOp VariableBuffers::addVariable(FlatSymbolRefAttr parameter,
                                              Location where, Type type) {
  StringAttr home = facts.getHome(parameter);
  Value variable = builder.addBuffer<exec::VariableOp>(
      parameter.getValue(), where, parameter,
      home ? home : builder.getFirstDevice(), TypeAttr::get(type));
  variables[parameter] = variable;
  return variable.getDefiningOp<exec::VariableOp>();
}

void VariableBuffers::add(FlatSymbolRefAttr parameter, Value value) {
  exec::VariableOp variable =
      addVariable(parameter, value.getLoc(), value.getType());
  assignments.push_back(
      {{parameter, value, variable.getDeviceAttr()}, variable, /*after=*/{}});
}

/// Adds the buffer of the value that the variable has after the run.
void VariableBuffers::addAfter(Assignment &assignment) {
  assignment.after = builder.addBuffer<exec::VersionOp>(
      assignment.update.parameter.getValue(), assignment.update.value.getLoc(),
      assignment.before);
}

void VariableBuffers::chooseInPlace(func::FuncOp function,
                                    const ValueOrigins &origins,
                                    const OutputBuffers &outputs) {
  SmallVector<VariableUpdate> wanted;
  for (const Assignment &assignment : assignments)
    wanted.push_back(assignment.update);
  updates =
      findUpdatesInPlace(function, wanted, {origins, builder, outputs, facts});
  for (auto [result, number] : updates.inPlace)
    addAfter(assignments[number]);
  for (Assignment &assignment : assignments)
    if (auto why = updates.reasons.find(assignment.update.parameter.getAttr());
        why != updates.reasons.end())
      assignment.before->setAttr(
          exec::copiedAttr,
          StringAttr::get(function.getContext(), why->second));
}

void VariableBuffers::addValue(FlatSymbolRefAttr parameter,
                               BlockArgument argument) {
  auto place = facts.getPlace(parameter);
  FlatSymbolRefAttr symbol = facts.getVariable(parameter);
  // Another entry may assign a parameter that this entry only reads.
  if (!variables.contains(symbol))
    addVariable(symbol, argument.getLoc(),
                place ? Type(place->bucket.getType()) : argument.getType());
  const Place whole = wholeOf(variables.at(symbol));
  if (!place)
    return values.addVariable(argument, whole);
  auto type = cast<RankedTensorType>(argument.getType());
  const auto elementBytes =
      static_cast<int64_t>(byteSize(*toDType(type.getElementType())));
  values.addVariable(argument,
                     whole.part(place->offset * elementBytes, spanBytes(type)));
}

Value VariableBuffers::find(Value root) const {
  auto update = updates.inPlace.find(root);
  return update == updates.inPlace.end() ? Value()
                                         : assignments[update->second].after;
}

/// Whether `buffer` is a variable with the value that the run begins with.
static bool isOldContents(Value buffer) {
  while (auto alias = buffer.getDefiningOp<exec::AliasOp>())
    buffer = alias.getSource();
  return isa<exec::VariableOp>(buffer.getDefiningOp());
}

LogicalResult VariableBuffers::copyRest(func::FuncOp function) {
  SmallVector<std::pair<Place, Assignment *>> writes;
  for (Assignment &assignment : assignments) {
    if (assignment.after)
      continue;
    addAfter(assignment);
    const auto &[parameter, value, device] = assignment.update;
    FailureOr<Place> from = values.get(value, device, function);
    if (failed(from))
      return failure();
    if (isOldContents(from->buffer)) {
      // If variables swap values, all must be read before any is written.
      const Place kept = wholeOf(builder.addScratch(parameter.getValue(),
                                                    assignment.before.getLoc(),
                                                    device, from->bytes));
      builder.addCopy(device, QueueRole::Compute,
                      {"keep " + parameter.getValue().str(), *from, kept});
      from = kept;
    }
    writes.push_back({*from, &assignment});
  }
  for (auto [from, assignment] : writes)
    builder.addCopy(assignment->update.device, QueueRole::Compute,
                    {"assign " + assignment->update.parameter.getValue().str(),
                     from, wholeOf(assignment->after)});
  return success();
}
