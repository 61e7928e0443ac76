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

LogicalResult EntryConverter::addOutput(unsigned index, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto name = function.getResultAttrOfType<StringAttr>(index, attrs::name);
  if (!name)
    return function.emitOpError("result ")
           << index << " has no name; run weir-lift-parameters first";
  if (type.getEncoding())
    return function.emitOpError("returns '")
           << name.getValue() << "' as " << type << "; expected it row-major";
  Value root = origins.getRoot(value);
  StringAttr space = getOutputSpace(function, index), place = getDeviceOf(root);
  if (space && place && place != space)
    return function.emitOpError("output '")
           << name.getValue() << "' lies in the memory of " << space
           << ", but its value is on " << place
           << "; run weir-insert-copies first";
  outputs.add(root, name.getValue(), value.getLoc(),
              space ? space : builder.getPortDevice(place), type);
  return success();
}

/// Adds the outputs, which are the results that are assigned to no parameter.
LogicalResult EntryConverter::addOutputs() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (!function.getResultAttr(index, attrs::assigns) &&
        failed(addOutput(index, value)))
      return failure();
  return success();
}

/// Adds the variables that get new values. A parameter to which its own value
/// is assigned does not change.
void EntryConverter::addVariables() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto assigned =
        function.getResultAttrOfType<FlatSymbolRefAttr>(index, attrs::assigns);
    auto argument = dyn_cast<BlockArgument>(origins.getRoot(value));
    if (assigned &&
        !(argument && assigned == function.getArgAttr(argument.getArgNumber(),
                                                      attrs::parameter)))
      variables.add(assigned, value);
  }
}

void EntryConverter::addArguments() {
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
      variables.addValue(parameter, argument);
    } else if (parameter) {
      buffers.addParameter(argument, parameter);
    } else {
      StringAttr device = firstReaders.lookup(argument);
      StringAttr space = getInputSpace(argument);
      StringRef name = getValueName(argument);
      Value buffer = builder.addBuffer<exec::InputOp>(
          name, argument.getLoc(), numInputs++, name,
          space ? space : builder.getPortDevice(device),
          cast<RankedTensorType>(argument.getType()));
      buffers.addInput(argument, buffer, space);
    }
  }
  for (auto constant : function.getBody().front().getOps<ConstantOp>())
    buffers.addParameter(constant, constants.at(constant));
}

LogicalResult EntryConverter::convert() {
  if (failed(addOutputs()))
    return failure();
  addVariables();
  variables.chooseInPlace(function, origins, outputs);
  joins.choose(function);
  addArguments();
  tensors.find(function, origins);
  for (Operation &op : function.getBody().front())
    if (failed(convertOp(&op)))
      return failure();
  outputs.copyRest(builder.getHostCopier());
  if (failed(variables.copyRest(function)))
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
