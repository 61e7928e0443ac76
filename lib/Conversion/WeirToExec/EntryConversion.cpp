//===- EntryConversion.cpp - Converts a function to an exec.entry ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryConversion.h"

#include "NamedTensors.h"
#include "OutputBuffers.h"
#include "ValueBuffers.h"
#include "VariableUpdates.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using exec::View;

namespace {
class EntryConverter {
public:
  using ConstantNames = llvm::DenseMap<Value, FlatSymbolRefAttr>;

  EntryConverter(func::FuncOp function, const ConstantNames &constants,
                 const ParameterFacts &facts, exec::EntryOp entry)
      : function(function), constants(constants), facts(facts), builder(entry),
        buffers(builder), outputs(builder, buffers),
        devices(entry.getDevices()), firstDevice(cast<StringAttr>(devices[0])) {
  }

  LogicalResult convert();

private:
  /// A result of the function that becomes a parameter's value for the next
  /// run. `buffer` has the value of this run, and `version` has that one.
  struct Assignment {
    FlatSymbolRefAttr parameter;
    Value value;
    Value buffer;
    Value version;
  };

  LogicalResult findResults();
  LogicalResult addOutput(unsigned index, Value value);
  Value addVariable(FlatSymbolRefAttr parameter, Value value);
  void addVariables();
  void addArguments();
  LogicalResult convertOp(Operation *op);
  LogicalResult convertGroup(GroupOp group);
  LogicalResult convertLaunch(LaunchOp launch, StringAttr device);
  LogicalResult convertParts(LaunchOp launch, StringAttr device,
                             ArrayRef<View> writes);
  FailureOr<View> read(LaunchOp launch, unsigned operand, StringAttr device);
  Value addResult(Value result, StringAttr device);
  FailureOr<View> viewOf(Value value, StringAttr device, Operation *reader);
  LogicalResult nameTensors(Value root, StringAttr device, LaunchOp launch);
  void chooseUpdates();
  void addVersion(Assignment &assignment);
  LogicalResult assignVariables();

  Value getSource(Value value) const;
  Value trace(Value value);
  StringAttr placeOf(Value root) const;
  StringAttr deviceOf(Value root) const {
    StringAttr place = placeOf(root);
    return place ? place : firstDevice;
  }
  StringAttr homeOf(StringAttr device) const;
  StringAttr findHostCopier() const;

  func::FuncOp function;
  const ConstantNames &constants;
  const ParameterFacts &facts;
  EntryBuilder builder;
  ValueBuffers buffers;
  OutputBuffers outputs;
  ArrayAttr devices;
  StringAttr firstDevice;
  /// The roots of values that were traced.
  llvm::DenseMap<Value, Value> roots;
  SmallVector<Assignment> assignments;
  VariableUpdates updates;
  NamedTensors tensors;
};
} // namespace

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
/// `value` has its type.
Value EntryConverter::addVariable(FlatSymbolRefAttr parameter, Value value) {
  StringAttr home = facts.getHome(parameter);
  return builder.addBuffer<exec::VariableOp>(
      parameter.getValue(), value.getLoc(), parameter,
      home ? home : firstDevice, TypeAttr::get(value.getType()));
}

void EntryConverter::addVariables() {
  for (Assignment &assignment : assignments)
    assignment.buffer = addVariable(assignment.parameter, assignment.value);
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
      // Another entry may assign what this one only reads.
      Value &variable = variables[parameter];
      if (!variable)
        variable = addVariable(parameter, argument);
      buffers.addVariable(argument, variable);
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

LogicalResult EntryConverter::convertOp(Operation *op) {
  if (isa<ConstantOp, KeepOp, func::ReturnOp>(op))
    return success();
  if (auto group = dyn_cast<GroupOp>(op))
    return convertGroup(group);
  if (auto copy = dyn_cast<CopyOp>(op)) {
    Value output = outputs.find(copy, copy.getToAttr());
    if (failed(buffers.addCrossing(copy, output)))
      return failure();
    outputs.copyTo(copy, copy.getToAttr());
    return success();
  }
  return op->emitOpError("is in no group; run weir-form-groups first");
}

LogicalResult EntryConverter::convertGroup(GroupOp group) {
  StringAttr device = group.getDeviceAttr();
  for (auto [argument, input] :
       llvm::zip(group.getBlock().getArguments(), group.getInputs()))
    buffers.addAlias(argument, input);
  for (Operation &op : group.getBlock().without_terminator()) {
    if (auto view = dyn_cast<ViewOp>(op)) {
      buffers.addAlias(view.getResult(), view.getInput());
      continue;
    }
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      return op.emitOpError("is not lowered; run weir-lower-groups first");
    if (failed(convertLaunch(launch, device)))
      return failure();
  }
  Operation *yield = group.getBlock().getTerminator();
  for (auto [result, value] :
       llvm::zip(group.getResults(), yield->getOperands()))
    buffers.addAlias(result, value);
  auto inside = group->getAttrOfType<ArrayAttr>(attrs::inside);
  if (inside && !group.getBlock().getOps<LaunchOp>().empty())
    builder.setInside(device, inside);
  return success();
}

/// Names the tensors that have the bytes of `root`, a result of `launch`. This
/// happens immediately after the launch, since the bytes may be reused if
/// nothing reads them.
LogicalResult EntryConverter::nameTensors(Value root, StringAttr device,
                                          LaunchOp launch) {
  ArrayRef<NamedTensors::Tensor> named = tensors.of(root);
  if (named.empty())
    return success();
  FailureOr<View> whole = viewOf(root, device, launch);
  if (failed(whole))
    return failure();
  for (const NamedTensors::Tensor &tensor : named) {
    View view = *whole;
    view.type = cast<RankedTensorType>(tensor.value.getType());
    builder.addTensor(launch.getLoc(), device, tensor.name, view);
  }
  return success();
}

/// The buffer for `result` of a launch: the buffer of an output, if it is one
/// and the device can access it, or that of the variable that it updates.
Value EntryConverter::addResult(Value result, StringAttr device) {
  Value buffer = outputs.find(result, device);
  if (auto update = updates.inPlace.find(result);
      update != updates.inPlace.end())
    buffer = assignments[update->second].version;
  if (!buffer)
    buffer = builder.addScratch(
        getValueName(result), result.getLoc(), device,
        toTensorDesc(cast<RankedTensorType>(result.getType())).spanBytes());
  buffers.addComputed(result, buffer);
  return buffer;
}

FailureOr<View> EntryConverter::viewOf(Value value, StringAttr device,
                                       Operation *reader) {
  FailureOr<Value> buffer = buffers.get(value, device, reader);
  if (failed(buffer))
    return failure();
  return View{*buffer, 0, cast<RankedTensorType>(value.getType())};
}

FailureOr<View> EntryConverter::read(LaunchOp launch, unsigned operand,
                                     StringAttr device) {
  return viewOf(launch.getInputs()[operand], device, launch);
}

/// Whether something reads `result` of a launch, in its group or outside.
static bool isRead(OpResult result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    if (!isa<YieldOp>(use.getOwner()))
      return true;
    Operation *group = use.getOwner()->getParentOp();
    return !group->getResult(use.getOperandNumber()).use_empty();
  });
}

LogicalResult EntryConverter::convertLaunch(LaunchOp launch,
                                            StringAttr device) {
  SmallVector<View> writes, reads;
  // Operands come first, because a copy that brings one to this device must
  // precede the launch.
  if (launch.getCopies().empty())
    for (unsigned i = 0; i < launch.getInputs().size(); ++i) {
      FailureOr<View> view = read(launch, i, device);
      if (failed(view))
        return failure();
      reads.push_back(*view);
    }
  for (OpResult result : launch->getResults()) {
    // A part that nobody reads is not computed.
    bool isNeeded = launch.getCopies().empty() || isRead(result);
    writes.push_back({isNeeded ? addResult(result, device) : Value(), 0,
                      cast<RankedTensorType>(result.getType())});
  }
  if (launch.getCopies().empty())
    builder.addLaunch(launch, device, reads, writes,
                      updates.overwrites.lookup(launch));
  else if (failed(convertParts(launch, device, writes)))
    return failure();
  for (auto [result, view] : llvm::zip(launch.getResults(), writes)) {
    if (!view.buffer)
      continue;
    if (failed(nameTensors(result, device, launch)))
      return failure();
    outputs.copyTo(result, device);
  }
  return success();
}

LogicalResult EntryConverter::convertParts(LaunchOp launch, StringAttr device,
                                           ArrayRef<View> writes) {
  for (auto part : launch.getCopies().getAsRange<ElementCopyAttr>()) {
    ArrayRef<int64_t> dims = part.getDims();
    const View &whole = writes[static_cast<size_t>(part.getResult())];
    // A result without elements is written like any other, because a value that
    // is named, returned or copied needs a command before that.
    bool isEmptyPart =
        llvm::is_contained(dims, 0) && whole.type.getNumElements() != 0;
    if (!whole.buffer || isEmptyPart)
      continue;
    FailureOr<View> from =
        read(launch, static_cast<unsigned>(part.getOperand()), device);
    if (failed(from))
      return failure();
    View source =
        makePart(*from, dims, part.getFromOffset(), part.getFromStrides());
    View target =
        makePart(whole, dims, part.getToOffset(), part.getToStrides());
    builder.addLaunch(launch, device, source, target);
  }
  return success();
}

/// Whether `buffer` is a variable with the value that the run begins with.
static bool isOldContents(Value buffer) {
  while (auto alias = buffer.getDefiningOp<exec::AliasOp>())
    buffer = alias.getSource();
  return isa<exec::VariableOp>(buffer.getDefiningOp());
}

/// Copies values to the variables that no launch updates in place.
LogicalResult EntryConverter::assignVariables() {
  SmallVector<std::pair<Value, Value>> writes;
  for (Assignment &assignment : assignments) {
    if (assignment.version)
      continue;
    addVersion(assignment);
    auto variable = assignment.buffer.getDefiningOp<exec::VariableOp>();
    StringAttr device = variable.getDeviceAttr();
    FailureOr<Value> from = buffers.get(assignment.value, device, function);
    if (failed(from))
      return failure();
    if (isOldContents(*from)) {
      // If variables swap values, all must be read before any is written.
      Value kept =
          builder.addScratch(assignment.parameter.getValue(), variable.getLoc(),
                             device, exec::getStorage(*from).getByteSize());
      builder.addCopy(
          device, exec::computeQueue,
          {"keep " + assignment.parameter.getValue().str(), *from, kept});
      from = kept;
    }
    writes.push_back({*from, assignment.version});
  }
  for (auto [from, to] : writes) {
    auto variable = cast<exec::VariableOp>(exec::getStorage(to).getOperation());
    builder.addCopy(variable.getDeviceAttr(), exec::computeQueue,
                    {"assign " + variable.getParameter().str(), from, to});
  }
  return success();
}

LogicalResult weir::convertEntry(func::FuncOp function,
                                 const EntryConverter::ConstantNames &constants,
                                 const ParameterFacts &facts,
                                 exec::EntryOp entry) {
  return EntryConverter(function, constants, facts, entry).convert();
}
