//===- EntryConversion.cpp - Converts a function to an exec.entry ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryConversion.h"

#include "EntryConverter.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

/// The value of which `value` has the bytes; null if it is computed, or comes
/// from outside.
Value EntryConverter::getSource(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto group = dyn_cast<GroupOp>(argument.getOwner()->getParentOp());
    return group ? group.getInputs()[argument.getArgNumber()] : Value();
  }
  Operation *op = value.getDefiningOp();
  if (auto group = dyn_cast<GroupOp>(op))
    return group.getBlock().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  if (auto view = dyn_cast<ViewOp>(op))
    return view.getInput();
  auto copy = dyn_cast<CopyOp>(op);
  bool isShared = copy && builder.getSpace(copy.getFromAttr()) ==
                              builder.getSpace(copy.getToAttr());
  return isShared ? copy.getInput() : Value();
}

/// The root of `value`, which has the same bytes: a launch result, argument,
/// constant or, between memory spaces, a copy. A chain of views is followed
/// once, however many of its values are asked for.
Value EntryConverter::trace(Value value) {
  SmallVector<Value> passed;
  Value root = value;
  while (true) {
    if (Value known = roots.lookup(root)) {
      root = known;
      break;
    }
    Value source = getSource(root);
    if (!source)
      break;
    passed.push_back(root);
    root = source;
  }
  for (Value each : passed)
    roots[each] = root;
  return root;
}

/// The device on which the value with this root is computed, or as an input is;
/// null for values from the host.
StringAttr EntryConverter::placeOf(Value root) const {
  Operation *op = root.getDefiningOp();
  if (auto copy = dyn_cast_or_null<CopyOp>(op))
    return copy.getToAttr();
  if (op)
    if (auto group = op->getParentOfType<GroupOp>())
      return group.getDeviceAttr();
  return getInputSpace(root);
}

/// The device of a port in the host's memory that `device` uses.
StringAttr EntryConverter::homeOf(StringAttr device) const {
  return builder.isIsolated(device) ? StringAttr() : device;
}

LogicalResult EntryConverter::addOutput(unsigned index, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto name = function.getResultAttrOfType<StringAttr>(index, attrs::name);
  if (!name)
    return function.emitOpError("result ")
           << index << " has no name; run weir-lift-parameters first";
  if (type.getEncoding())
    return function.emitOpError("returns '")
           << name.getValue() << "' as " << type << "; expected it row-major";
  Value root = trace(value);
  StringAttr space = getOutputSpace(function, index), place = placeOf(root);
  if (space && place && place != space)
    return function.emitOpError("output '")
           << name.getValue() << "' lies in the memory of " << space
           << ", but its value is on " << place
           << "; run weir-insert-copies first";
  outputs.add(root, name.getValue(), value.getLoc(),
              space ? space : homeOf(deviceOf(root)), type);
  return success();
}

LogicalResult EntryConverter::findResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto assigned =
        function.getResultAttrOfType<FlatSymbolRefAttr>(index, attrs::assigns);
    if (assigned)
      assignments.push_back({assigned, value, {}, {}});
    else if (failed(addOutput(index, value)))
      return failure();
  }
  // A parameter to which its own value is assigned does not change.
  llvm::erase_if(assignments, [&](const Assignment &assignment) {
    auto argument = dyn_cast<BlockArgument>(trace(assignment.value));
    return argument &&
           assignment.parameter ==
               function.getArgAttr(argument.getArgNumber(), attrs::parameter);
  });
  return success();
}

/// Adds the variable `parameter`, which is on the same device in all entries.
Value EntryConverter::addVariable(FlatSymbolRefAttr parameter, Location where,
                                  Type type) {
  StringAttr home = facts.getHome(parameter);
  return builder.addBuffer<exec::VariableOp>(
      parameter.getValue(), where, parameter, home ? home : firstDevice,
      TypeAttr::get(type));
}

void EntryConverter::addVariables() {
  for (Assignment &assignment : assignments)
    assignment.buffer =
        addVariable(assignment.parameter, assignment.value.getLoc(),
                    assignment.value.getType());
}

/// Adds the buffer of the value that the variable has after the run.
void EntryConverter::addVersion(Assignment &assignment) {
  assignment.version = builder.addBuffer<exec::VersionOp>(
      assignment.parameter.getValue(), assignment.value.getLoc(),
      assignment.buffer);
}

/// Finds the values that launches write directly to variables.
void EntryConverter::chooseUpdates() {
  SmallVector<VariableUpdate> wanted;
  for (const Assignment &assignment : assignments) {
    auto variable = assignment.buffer.getDefiningOp<exec::VariableOp>();
    wanted.push_back(
        {assignment.parameter, assignment.value, variable.getDeviceAttr()});
  }
  ValueMemory memory;
  memory.isShared = [&](StringAttr left, StringAttr right) {
    return builder.getSpace(left) == builder.getSpace(right);
  };
  memory.variableOf = [&](FlatSymbolRefAttr parameter) {
    auto place = facts.getPlace(parameter);
    return place ? FlatSymbolRefAttr::get(place->bucket.getSymNameAttr())
                 : parameter;
  };
  memory.isOutput = [&](Value root) {
    return outputs.find(root, deviceOf(root)) != Value();
  };
  updates = findUpdatesInPlace(function, wanted, memory);
  for (auto [result, number] : updates.inPlace)
    addVersion(assignments[number]);
  for (Assignment &assignment : assignments)
    if (auto why = updates.reasons.find(assignment.parameter.getAttr());
        why != updates.reasons.end())
      assignment.buffer.getDefiningOp()->setAttr(
          exec::copiedAttr,
          StringAttr::get(function.getContext(), why->second));
}

/// Finds the values that launches write directly to places of joins.
void EntryConverter::chooseJoined() {
  JoinSources sources;
  sources.trace = [&](Value value) { return trace(value); };
  sources.isShared = [&](StringAttr left, StringAttr right) {
    return builder.getSpace(left) == builder.getSpace(right);
  };
  sources.isPlaced = [&](Value root) {
    return outputs.shows(root) || updates.inPlace.contains(root);
  };
  joins.choose(function, sources);
}

/// The place of `parameter`, which some entry assigns, in its variable.
/// `variables` has the variables of this entry.
Place EntryConverter::addVariablePart(
    FlatSymbolRefAttr parameter, BlockArgument argument,
    llvm::DenseMap<Attribute, Value> &variables) {
  auto place = facts.getPlace(parameter);
  auto symbol = place ? FlatSymbolRefAttr::get(place->bucket.getSymNameAttr())
                      : parameter;
  Value &variable = variables[symbol];
  // Another entry may assign what this one only reads.
  if (!variable)
    variable =
        addVariable(symbol, argument.getLoc(),
                    place ? Type(place->bucket.getType()) : argument.getType());
  if (!place)
    return wholeOf(variable);
  auto type = cast<RankedTensorType>(argument.getType());
  const auto elementBytes =
      static_cast<int64_t>(byteSize(*toDType(type.getElementType())));
  return wholeOf(variable).part(place->offset * elementBytes, spanBytes(type));
}

void EntryConverter::addArguments() {
  llvm::DenseMap<Attribute, Value> variables;
  for (const Assignment &assignment : assignments)
    variables[assignment.parameter] = assignment.buffer;
  llvm::DenseMap<Value, StringAttr> firstReaders;
  for (auto group : function.getBody().front().getOps<GroupOp>())
    for (Value input : group.getInputs())
      if (isa<BlockArgument>(input))
        firstReaders.try_emplace(input, group.getDeviceAttr());
  unsigned numInputs = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto parameter = function.getArgAttrOfType<FlatSymbolRefAttr>(
        argument.getArgNumber(), attrs::parameter);
    if (parameter && facts.isAssigned(parameter)) {
      buffers.addVariable(argument,
                          addVariablePart(parameter, argument, variables));
    } else if (parameter) {
      buffers.addParameter(argument, parameter);
    } else {
      StringAttr device = firstReaders.lookup(argument);
      StringAttr space = getInputSpace(argument);
      StringRef name = getValueName(argument);
      Value buffer = builder.addBuffer<exec::InputOp>(
          name, argument.getLoc(), numInputs++, name,
          space ? space : homeOf(device ? device : firstDevice),
          cast<RankedTensorType>(argument.getType()));
      buffers.addInput(argument, buffer, space);
    }
  }
  for (auto constant : function.getBody().front().getOps<ConstantOp>())
    buffers.addParameter(constant, constants.at(constant));
}

/// The device that copies within the host's memory. An isolated one would do so
/// from outside.
StringAttr EntryConverter::findHostCopier() const {
  for (StringAttr device : devices.getAsRange<StringAttr>())
    if (!builder.isIsolated(device))
      return device;
  return firstDevice;
}

LogicalResult EntryConverter::convert() {
  if (failed(findResults()))
    return failure();
  addVariables();
  chooseUpdates();
  chooseJoined();
  addArguments();
  tensors.find(function, [&](Value value) { return trace(value); });
  for (Operation &op : function.getBody().front())
    if (failed(convertOp(&op)))
      return failure();
  outputs.copyRest(findHostCopier());
  if (failed(assignVariables()))
    return failure();
  builder.finish();
  return success();
}

LogicalResult weir::convertEntry(func::FuncOp function,
                                 const EntryConverter::ConstantNames &constants,
                                 const ParameterFacts &facts,
                                 exec::EntryOp entry) {
  return EntryConverter(function, constants, facts, entry).convert();
}
