//===- EntryCalls.cpp - The C API's functions that describe entries -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GrowingStructs.h"
#include "Handles.h"
#include "TensorStructs.h"

using namespace weir;
using namespace weir::c;

Status c::checkShapeNumber(const weir_entry *entry, size_t shape) {
  WEIR_RETURN_IF_ERROR(checkNotNull(entry, "entry"));
  return checkNumber(shape, entry->entry.numShapes(), "shape", "entry");
}

StatusOr<const TensorInfo *> c::findPort(const weir_entry *entry, size_t shape,
                                         size_t index, bool isOutput) {
  WEIR_RETURN_IF_ERROR(checkShapeNumber(entry, shape));
  const std::span<const TensorInfo> ports =
      isOutput ? entry->entry.outputs(shape) : entry->entry.inputs(shape);
  WEIR_RETURN_IF_ERROR(
      checkNumber(index, ports.size(), isOutput ? "output" : "input", "entry"));
  return &ports[index];
}

const char *weir_entry_name(const weir_entry *entry) {
  return entry ? entry->name.c_str() : nullptr;
}

size_t weir_entry_num_shapes(const weir_entry *entry) {
  return entry ? entry->entry.numShapes() : 0;
}

size_t weir_entry_num_inputs(const weir_entry *entry) {
  return entry ? entry->entry.inputs().size() : 0;
}

size_t weir_entry_num_outputs(const weir_entry *entry) {
  return entry ? entry->entry.outputs().size() : 0;
}

static Status describePort(const weir_entry *entry, size_t shape, size_t index,
                           bool isOutput, weir_port *port) {
  WEIR_ASSIGN_OR_RETURN(const TensorInfo *info,
                        findPort(entry, shape, index, isOutput));
  WEIR_RETURN_IF_ERROR(checkNotNull(port, "port"));
  auto found = describe<weir_port>(info->name, info->desc);
  found.space = handleOf(info->space);
  // Names of devices are null-terminated.
  found.device = info->space.isHost() ? "" : info->space.deviceName().data();
  found.is_read = info->isRead;
  return writeStruct(found, "weir_port", port);
}

weir_status weir_entry_input(const weir_entry *entry, size_t shape,
                             size_t index, weir_port *port) {
  return runCall("weir_entry_input", [&] {
    return describePort(entry, shape, index, /*isOutput=*/false, port);
  });
}

weir_status weir_entry_output(const weir_entry *entry, size_t shape,
                              size_t index, weir_port *port) {
  return runCall("weir_entry_output", [&] {
    return describePort(entry, shape, index, /*isOutput=*/true, port);
  });
}
