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
  sources[value] = {Origin::Input, wholeOf(buffer), {}, space};
}

void ValueBuffers::addParameter(Value value, FlatSymbolRefAttr name) {
  sources[value] = {Origin::Parameter, {}, name, {}};
}

void ValueBuffers::addVariable(Value value, const Place &place) {
  sources[value] = {Origin::Variable, place, {}, deviceOf(place.buffer)};
}

void ValueBuffers::addComputed(Value value, const Place &place) {
  sources[value] = {Origin::Computed, place, {}, deviceOf(place.buffer)};
}

LogicalResult ValueBuffers::addCrossing(CopyOp copy, const Place &target) {
  FailureOr<Place> from = get(copy.getInput(), copy.getFromAttr(), copy);
  if (failed(from))
    return failure();
  Value value = copy.getResult();
  Location where = value.getLoc();
  StringAttr device = copy.getToAttr();
  StringRef name = getValueName(value);
  // If the buffer already belongs to `device`, the source becomes an alias that
  // belongs to the device which passes the bytes on.
  if (deviceOf(from->buffer) == device)
    from->buffer = builder.addBuffer<exec::AliasOp>(
        getValueName(copy.getInput()), where, from->buffer, copy.getFromAttr());
  bool isShared = builder.shareMemory(copy.getFromAttr(), device);
  Place to = target;
  if (isShared) {
    to = *from;
    to.buffer =
        builder.addBuffer<exec::AliasOp>(name, where, from->buffer, device);
  } else if (!to.buffer) {
    to = wholeOf(builder.addScratch(name, where, device, from->bytes));
  }
  builder.addCopy(isShared ? device
                           : builder.getCopier(copy.getFromAttr(), device),
                  isShared ? QueueRole::Compute : QueueRole::CopyIn,
                  {copyName(value, device), *from, to, true});
  addComputed(value, to);
  return success();
}

Place ValueBuffers::getParameter(const Source &source, Value value,
                                 StringAttr device) {
  Value &buffer = parameters[{source.parameter, builder.getSpace(device)}];
  if (!buffer)
    buffer = builder.addBuffer<exec::ParameterOp>(
        source.parameter.getValue(), value.getLoc(), source.parameter, device,
        TypeAttr::get(value.getType()));
  return wholeOf(buffer);
}

/// The copy in the space of `device` of a value that exists when the run
/// begins.
Place ValueBuffers::copyFromHost(Value value, const Source &source,
                                 StringAttr device) {
  Value &copy = copies[{value, builder.getSpace(device)}];
  if (copy)
    return wholeOf(copy);
  copy = builder.addScratch(getValueName(value), value.getLoc(), device,
                            source.place.bytes);
  StringAttr copier =
      source.device ? builder.getCopier(source.device, device) : device;
  // An assigned parameter is on a device, so its bytes cross.
  builder.addEarlyCopy(copier,
                       {copyName(value, device), source.place, wholeOf(copy),
                        source.origin == Origin::Variable});
  return wholeOf(copy);
}

FailureOr<Place> ValueBuffers::get(Value value, StringAttr device,
                                   Operation *reader) {
  Value origin = origins.getSource(value);
  auto it = sources.find(origin);
  if (it == sources.end())
    return reader->emitOpError("reads a value that nothing computes");
  Source &source = it->second;
  switch (source.origin) {
  case Origin::Input:
    if (source.device)
      break;
    return builder.isIsolated(device) ? copyFromHost(origin, source, device)
                                      : source.place;
  case Origin::Parameter:
    return getParameter(source, origin, device);
  case Origin::Variable:
    return builder.shareMemory(source.device, device)
               ? source.place
               : copyFromHost(origin, source, device);
  case Origin::Computed:
    break;
  }
  if (source.device != device)
    return reader->emitOpError("on ")
           << device << " reads '" << getValueName(origin) << "', which is on "
           << source.device << "; run weir-insert-copies first";
  return source.place;
}

Place ValueBuffers::getOriginal(Value value, StringAttr device) {
  Value origin = origins.getSource(value);
  Source &source = sources.find(origin)->second;
  if (source.origin == Origin::Parameter)
    return getParameter(source, origin, device);
  return source.place;
}
