//===- PlanTensors.cpp - What observers of a plan receive -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PlanTensors.h"

#include "weir/Artifact/Convert.h"

#include <algorithm>

using namespace weir;

/// Whether both tensors are views of the same elements.
static bool showSame(const artifact::Entry &entry, const artifact::Tensor &left,
                     const artifact::Tensor &right) {
  if (left.view() < 0 || right.view() < 0)
    return false;
  const artifact::View &a =
      *entry.views()->Get(static_cast<uint32_t>(left.view()));
  const artifact::View &b =
      *entry.views()->Get(static_cast<uint32_t>(right.view()));
  return a.buffer() == b.buffer() && a.byte_offset() == b.byte_offset() &&
         left.program() == right.program() &&
         left.command() == right.command() &&
         artifact::toTensorDesc(*left.type()) ==
             artifact::toTensorDesc(*right.type());
}

/// Fills in `to`, which is tensor `number`. `command` is its step, or -1.
static void addTensor(const PlanSources &sources, const artifact::Entry &entry,
                      uint32_t number, int64_t command, SlotTable &slots,
                      Plan &plan) {
  const artifact::Tensor &tensor = *entry.tensors()->Get(number);
  PlanTensor &to = plan.tensors.emplace_back();
  to.name = entry.names()->Get(tensor.name())->str();
  if (command < 0)
    return;
  PlanProgram &program = plan.programs[tensor.program()];
  const auto step = static_cast<size_t>(command);
  const StepInfo &info = program.infos[step];
  to.device = sources.devices[program.device].info().name;
  to.op = std::string(info.op);
  to.kernel = info.spec ? info.spec->name : "copy";
  to.place = PlanTensor::Place::Inside;
  if (tensor.view() < 0)
    return;
  to.place = PlanTensor::Place::Visible;
  to.desc = artifact::toTensorDesc(*tensor.type());
  to.isAlias =
      number > 0 && showSame(entry, *entry.tensors()->Get(number - 1), tensor);
  const artifact::View &view =
      *entry.views()->Get(static_cast<uint32_t>(tensor.view()));
  if (const PlacedBuffer &buffer = slots.buffer(view); buffer.isHostParameter)
    sources.readInPlace.try_emplace(buffer.index, program.device);
  program.tensors.push_back(
      {step, number, slots.add(view), to.desc.spanBytes()});
}

void weir::loadTensors(const PlanSources &sources, const artifact::Entry &entry,
                       std::span<const std::vector<int64_t>> stepOf,
                       SlotTable &slots, Plan &plan) {
  if (!entry.tensors())
    return;
  for (uint32_t i = 0; i < entry.tensors()->size(); ++i) {
    const artifact::Tensor &tensor = *entry.tensors()->Get(i);
    const int64_t step =
        tensor.command() < 0
            ? -1
            : stepOf[tensor.program()][static_cast<size_t>(tensor.command())];
    addTensor(sources, entry, i, step, slots, plan);
  }
  for (PlanProgram &program : plan.programs) {
    std::ranges::stable_sort(program.tensors, {}, &StepTensor::step);
    program.list.observer = sources.observer;
    program.list.tensors = program.tensors;
  }
}
