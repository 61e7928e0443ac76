//===- ValueBuffers.cpp - Finds the buffer of a value on a device ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ValueBuffers.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

static StringAttr deviceOf(Value buffer) {
  auto op = buffer.getDefiningOp<exec::BufferOpInterface>();
  return StringAttr::get(buffer.getContext(), op.getDevice());
}

/// The name of a copy of `value` to `device`.
static std::string copyName(Value value, StringAttr device) {
  return (getValueName(value) + " to " + device.getValue()).str();
}

void ValueBuffers::addInput(Value value, Value buffer, StringAttr space) {
  sources[value] = {Origin::Input, buffer, {}, space};
}

void ValueBuffers::addParameter(Value value, FlatSymbolRefAttr name) {
  sources[value] = {Origin::Parameter, {}, name, {}};
}

void ValueBuffers::addVariable(Value value, Value buffer) {
  sources[value] = {Origin::Variable, buffer, {}, deviceOf(buffer)};
}

void ValueBuffers::addComputed(Value value, Value buffer) {
  sources[value] = {Origin::Computed, buffer, {}, deviceOf(buffer)};
}

LogicalResult ValueBuffers::addCrossing(CopyOp copy, Value target) {
  FailureOr<Value> from = get(copy.getInput(), copy.getFromAttr(), copy);
  if (failed(from))
    return failure();
  Value value = copy.getResult();
  Location where = value.getLoc();
  StringAttr device = copy.getToAttr();
  StringRef name = getValueName(value);
  uint64_t bytes = exec::getStorage(*from).getByteSize();
  // Bytes shared with the host count as being on the device that passes them
  // on.
  if (deviceOf(*from) == device)
    from = builder.addBuffer<exec::AliasOp>(getValueName(copy.getInput()),
                                            where, *from, copy.getFromAttr());
  bool isShared =
      builder.getSpace(copy.getFromAttr()) == builder.getSpace(device);
  Value buffer = target;
  if (isShared)
    buffer = builder.addBuffer<exec::AliasOp>(name, where, *from, device);
  else if (!buffer)
    buffer = builder.addScratch(name, where, device, bytes);
  builder.addCopy(isShared ? device
                           : builder.getCopier(copy.getFromAttr(), device),
                  isShared ? exec::computeQueue : exec::copyQueue,
                  {copyName(value, device), *from, buffer, true});
  addComputed(value, buffer);
  return success();
}

Value ValueBuffers::getParameter(const Source &source, Value value,
                                 StringAttr device) {
  Value &buffer = parameters[{source.parameter, builder.getSpace(device)}];
  if (!buffer)
    buffer = builder.addBuffer<exec::ParameterOp>(
        source.parameter.getValue(), value.getLoc(), source.parameter, device,
        TypeAttr::get(value.getType()));
  return buffer;
}

/// The copy in the space of `device` of a value that exists when the run
/// begins.
Value ValueBuffers::copyFromHost(Value value, const Source &source,
                                 StringAttr device) {
  Value &copy = copies[{value, builder.getSpace(device)}];
  if (copy)
    return copy;
  uint64_t bytes = exec::getStorage(source.buffer).getByteSize();
  copy = builder.addScratch(getValueName(value), value.getLoc(), device, bytes);
  StringAttr copier =
      source.device ? builder.getCopier(source.device, device) : device;
  // An assigned parameter is on a device, so its bytes cross.
  builder.addEarlyCopy(copier, {copyName(value, device), source.buffer, copy,
                                source.origin == Origin::Variable});
  return copy;
}

FailureOr<Value> ValueBuffers::get(Value value, StringAttr device,
                                   Operation *reader) {
  Value root = getRoot(value);
  auto it = sources.find(root);
  if (it == sources.end())
    return reader->emitOpError("reads a value that nothing computes");
  Source &source = it->second;
  switch (source.origin) {
  case Origin::Input:
    if (source.device)
      break;
    return builder.isIsolated(device) ? copyFromHost(root, source, device)
                                      : source.buffer;
  case Origin::Parameter:
    return getParameter(source, root, device);
  case Origin::Variable:
    return builder.getSpace(source.device) == builder.getSpace(device)
               ? source.buffer
               : copyFromHost(root, source, device);
  case Origin::Computed:
    break;
  }
  if (source.device != device)
    return reader->emitOpError("on ")
           << device << " reads '" << getValueName(root) << "', which is on "
           << source.device << "; run weir-insert-copies first";
  return source.buffer;
}

Value ValueBuffers::getOriginal(Value value, StringAttr device) {
  Value root = getRoot(value);
  Source &source = sources.find(root)->second;
  if (source.origin == Origin::Parameter)
    return getParameter(source, root, device);
  return source.buffer;
}
