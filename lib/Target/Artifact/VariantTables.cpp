//===- VariantTables.cpp - What the entries of a variant share --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariantTables.h"

#include "weir/Artifact/Format.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Topology.h"

using namespace mlir;
using namespace weir;

static std::unique_ptr<artifact::DeviceT> toTable(const DeviceDesc &device) {
  auto table = std::make_unique<artifact::DeviceT>();
  table->name = device.name.toString();
  table->isolated = device.isIsolated;
  if (device.name.kind->sharesCores)
    table->threads = static_cast<uint16_t>(device.threads);
  table->memory_cap = device.memoryBytes;
  for (const auto &[name, value] : device.options) {
    auto &option = table->options.emplace_back(
        std::make_unique<artifact::DeviceOptionT>());
    option->name = name;
    option->value = value;
  }
  return table;
}

void VariantTables::addDevices(exec::EntryOp entry) {
  variant.frames = static_cast<uint16_t>(entry.getInFlight());
  for (const DeviceDesc &device : entry.getDevices().toTopology().devices) {
    variant.devices.push_back(toTable(device));
    devices[variant.devices.back()->name] =
        static_cast<uint16_t>(variant.devices.size() - 1);
  }
}

uint16_t VariantTables::getSpace(StringRef name) const {
  if (name.empty())
    return artifact::hostSpace;
  const uint16_t device = getDevice(name);
  return static_cast<uint16_t>(
      artifact::spaceOfDevice(device, variant.devices[device]->isolated));
}

/// Adds the initial value of `variable`: its blob, or the blobs of the parts of
/// a bucket.
LogicalResult VariantTables::addStart(exec::VariableOp variable,
                                      artifact::VariableT &table) {
  BucketOp bucket = blobs.getBucket(variable.getParameterAttr());
  if (!bucket) {
    FailureOr<uint32_t> blob = blobs.get(variable.getParameterAttr());
    if (succeeded(blob))
      table.blob = *blob;
    return blob;
  }
  auto type = cast<RankedTensorType>(bucket.getType());
  const size_t elementBytes = byteSize(*toDType(type.getElementType()));
  table.name = bucket.getSymName().str();
  table.bytes = toTensorDesc(type).spanBytes();
  for (const BucketPart &part : blobs.listParts(bucket)) {
    FailureOr<uint32_t> blob = blobs.get(part.parameter);
    if (failed(blob))
      return failure();
    table.parts.emplace_back(*blob,
                             static_cast<uint64_t>(part.offset) * elementBytes);
  }
  return success();
}

FailureOr<uint32_t> VariantTables::getVariable(exec::VariableOp variable) {
  auto [it, isNew] =
      variables.try_emplace(variable.getParameterAttr(),
                            static_cast<uint32_t>(variant.variables.size()));
  if (isNew) {
    auto &table =
        variant.variables.emplace_back(std::make_unique<artifact::VariableT>());
    if (failed(addStart(variable, *table)))
      return failure();
    table->device = getDevice(variable.getDevice());
  }
  if (uint16_t home = variant.variables[it->second]->device;
      home != getDevice(variable.getDevice()))
    return variable.emitOpError("is on ")
           << variable.getDevice() << "; another entry has it on "
           << variant.devices[home]->name
           << ", and the bytes of a variable exist once";
  return it->second;
}

FailureOr<uint32_t> VariantTables::getParameter(exec::ParameterOp parameter) {
  if (exec::VariableOp variable = known.lookup(parameter.getParameterAttr())) {
    InFlightDiagnostic error =
        parameter.emitOpError("reads ")
        << parameter.getParameterAttr()
        << " as a parameter that never changes; declare it as exec.variable";
    error.attachNote(variable.getLoc()) << "an entry assigns it here";
    return error;
  }
  return blobs.get(parameter.getParameterAttr());
}
