//===- SlotTable.cpp - Makes the slots of a plan -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SlotTable.h"

using namespace weir;
using artifact::BufferKind;

uint32_t SlotTable::addNumber() {
  plan.slots.push_back(nullptr);
  return size() - 1;
}

uint32_t SlotTable::add(const artifact::View &view) {
  const PlacedBuffer &from = buffer(view);
  const uint32_t slot = addNumber();
  if (from.base)
    plan.slots.back() = from.base + view.byte_offset();
  if (from.kind == BufferKind::Input)
    plan.inputPatches.push_back({slot, from.index, view.byte_offset()});
  if (from.kind == BufferKind::Output)
    plan.outputPatches.push_back({slot, from.index, view.byte_offset()});
  if (from.isPerFrame)
    plan.framePatches.push_back(
        {slot, from.arena, from.offset + view.byte_offset()});
  return slot;
}
