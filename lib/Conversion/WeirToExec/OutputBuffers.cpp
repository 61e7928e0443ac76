//===- OutputBuffers.cpp - The buffers of an entry's outputs ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "OutputBuffers.h"

using namespace mlir;
using namespace weir;

void OutputBuffers::add(Value root, StringRef name, Location where,
                        StringAttr home, RankedTensorType type) {
  auto number = static_cast<unsigned>(buffers.size());
  buffers.push_back(
      builder.addBuffer<exec::OutputOp>(name, where, number, name, home, type));
  outputsOf[root].push_back(number);
}

StringAttr OutputBuffers::getSpace(unsigned output) const {
  StringAttr home =
      buffers[output].getDefiningOp<exec::OutputOp>().getHomeAttr();
  return home ? builder.getSpace(home) : StringAttr();
}

Value OutputBuffers::find(Value root, StringAttr device) const {
  auto shown = outputsOf.find(root);
  if (shown != outputsOf.end())
    for (unsigned output : shown->second)
      if (getSpace(output) == builder.getSpace(device))
        return buffers[output];
  return {};
}

void OutputBuffers::copy(unsigned output, const Place &from, StringAttr device,
                         bool isCrossing) {
  auto op = buffers[output].getDefiningOp<exec::OutputOp>();
  StringAttr space = getSpace(output);
  StringRef target = space ? space.getValue() : "host";
  builder.addCopy(device,
                  builder.isIsolated(device) ? QueueRole::CopyIn
                                             : QueueRole::Compute,
                  {(op.getName() + " to " + target).str(), from,
                   wholeOf(buffers[output]), isCrossing});
}

void OutputBuffers::copyTo(Value root, StringAttr device) {
  auto shown = outputsOf.find(root);
  if (shown == outputsOf.end())
    return;
  const Place from = values.getOriginal(root, device);
  for (unsigned output : shown->second)
    if (buffers[output] != from.buffer)
      copy(output, from, device);
}

void OutputBuffers::copyRest(StringAttr device) {
  for (auto &[root, shown] : outputsOf) {
    if (values.getOrigin(root) == Origin::Computed)
      continue;
    StringAttr home = values.getHome(root);
    for (unsigned output : shown) {
      StringAttr space = getSpace(output);
      // If the value or the output lies in the memory of an isolated device,
      // such a device copies.
      StringAttr copier = space ? space : device;
      if (home && builder.isIsolated(home))
        copier = space ? builder.getCopier(home, space) : home;
      const bool isCrossing = space && home && space != home;
      copy(output, values.getOriginal(root, copier), copier, isCrossing);
    }
  }
}
