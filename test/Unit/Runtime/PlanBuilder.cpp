//===- PlanBuilder.cpp - Small artifacts, written by hand -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Writer.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/TensorDesc.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace weir;
using namespace weir::test;
using artifact::BufferKind;
using artifact::Opcode;

static TensorDesc vectorDesc(int64_t size) {
  return TensorDesc::rowMajor(DType::F32, {size});
}

PlanBuilder::PlanBuilder() {
  root.producer = "test";
  root.variants.push_back(std::make_unique<artifact::VariantT>());
  beginEntry("main");
}

void PlanBuilder::beginEntry(const std::string &name) {
  auto &entries = variant().entries;
  entries.push_back(std::make_unique<artifact::EntryT>());
  entry().name = name;
  entry().num_groups.resize(variant().devices.size());
  entry().strides.push_back(0);
  sizes.clear();
  arenas.clear();
  programs.clear();
}

uint16_t PlanBuilder::device(const std::string &name, bool isolated,
                             uint16_t threads) {
  auto device = std::make_unique<artifact::DeviceT>();
  device->name = name;
  device->isolated = isolated;
  device->threads = threads;
  auto &devices = variant().devices;
  devices.push_back(std::move(device));
  entry().num_groups.push_back(0);
  return static_cast<uint16_t>(devices.size() - 1);
}

uint16_t PlanBuilder::spaceOf(uint16_t device) const {
  return static_cast<uint16_t>(artifact::spaceOfDevice(
      device, root.variants[0]->devices[device]->isolated));
}

uint32_t PlanBuilder::addBuffer(BufferKind kind, uint32_t index, uint16_t space,
                                int64_t size, uint64_t offset) {
  auto buffer = std::make_unique<artifact::BufferT>();
  buffer->kind = kind;
  buffer->index = index;
  buffer->space = space;
  buffer->offset = offset;
  buffer->bytes = static_cast<uint64_t>(size) * sizeof(float);
  entry().buffers.push_back(std::move(buffer));
  sizes.push_back(size);
  return static_cast<uint32_t>(sizes.size()) - 1;
}

static void addPort(std::vector<std::unique_ptr<artifact::PortT>> &ports,
                    const std::string &name, int64_t size, uint16_t space) {
  auto port = std::make_unique<artifact::PortT>();
  port->name = name;
  port->type = artifact::fromTensorDesc(vectorDesc(size));
  port->space = space;
  ports.push_back(std::move(port));
}

uint32_t PlanBuilder::addInput(const std::string &name, int64_t size,
                               uint16_t space) {
  addPort(entry().inputs, name, size, space);
  return addBuffer(BufferKind::Input,
                   static_cast<uint32_t>(entry().inputs.size()) - 1, space,
                   size);
}

uint32_t PlanBuilder::addOutput(const std::string &name, int64_t size,
                                uint16_t space) {
  addPort(entry().outputs, name, size, space);
  return addBuffer(BufferKind::Output,
                   static_cast<uint32_t>(entry().outputs.size()) - 1, space,
                   size);
}

uint32_t PlanBuilder::input(const std::string &name, int64_t size,
                            uint16_t device) {
  return addInput(name, size, spaceOf(device));
}

uint32_t PlanBuilder::output(const std::string &name, int64_t size,
                             uint16_t device) {
  return addOutput(name, size, spaceOf(device));
}

uint32_t PlanBuilder::hostInput(const std::string &name, int64_t size) {
  return addInput(name, size, artifact::hostSpace);
}

uint32_t PlanBuilder::hostOutput(const std::string &name, int64_t size) {
  return addOutput(name, size, artifact::hostSpace);
}

uint32_t PlanBuilder::addBlob(const std::vector<float> &values,
                              const std::string &name) {
  auto blob = std::make_unique<artifact::BlobT>();
  blob->name = name.empty() ? std::to_string(blobs.size()) : name;
  blob->type =
      artifact::fromTensorDesc(vectorDesc(static_cast<int64_t>(values.size())));
  root.blobs.push_back(std::move(blob));
  blobs.push_back(values);
  return lastBlob();
}

uint32_t PlanBuilder::parameter(const std::vector<float> &values,
                                uint16_t device) {
  return parameterOn(addBlob(values, ""), device);
}

uint32_t PlanBuilder::parameterOn(uint32_t blob, uint16_t device) {
  return addBuffer(BufferKind::Parameter, blob, spaceOf(device),
                   static_cast<int64_t>(blobs[blob].size()));
}

uint32_t PlanBuilder::variable(const std::vector<float> &values,
                               uint16_t device, const std::string &name) {
  auto variable = std::make_unique<artifact::VariableT>();
  variable->blob = addBlob(values, name);
  variable->device = device;
  variant().variables.push_back(std::move(variable));
  return variableOn(lastVariable());
}

uint32_t PlanBuilder::bucket(
    const std::vector<std::pair<std::string, std::vector<float>>> &parts,
    uint16_t device) {
  auto variable = std::make_unique<artifact::VariableT>();
  variable->name = "bucket";
  variable->device = device;
  for (const auto &[name, values] : parts) {
    variable->parts.emplace_back(addBlob(values, name), variable->bytes);
    variable->bytes += alignTo(values.size(), 16) * sizeof(float);
  }
  variant().variables.push_back(std::move(variable));
  return variableOn(lastVariable());
}

uint32_t PlanBuilder::variableOn(uint32_t variable) {
  const artifact::VariableT &of = *variant().variables[variable];
  const uint64_t elements =
      of.parts.empty() ? blobs[of.blob].size() : of.bytes / sizeof(float);
  return addBuffer(BufferKind::Variable, variable, spaceOf(of.device),
                   static_cast<int64_t>(elements));
}

uint32_t PlanBuilder::arenaOf(uint16_t device, bool isPerFrame) {
  auto [at, isNew] = arenas.try_emplace(
      {device, isPerFrame}, static_cast<uint32_t>(entry().arenas.size()));
  if (isNew) {
    entry().arenas.push_back(std::make_unique<artifact::ArenaT>());
    entry().arenas.back()->device = device;
    entry().arenas.back()->per_frame = isPerFrame;
  }
  return at->second;
}

uint32_t PlanBuilder::addScratch(int64_t size, uint16_t device,
                                 bool isPerFrame) {
  const uint32_t index = arenaOf(device, isPerFrame);
  artifact::ArenaT &arena = *entry().arenas[index];
  const uint64_t offset = arena.bytes;
  arena.bytes += alignTo(static_cast<uint64_t>(size) * sizeof(float),
                         artifact::arenaAlignment);
  return addBuffer(BufferKind::Scratch, index, spaceOf(device), size, offset);
}

uint32_t PlanBuilder::scratch(int64_t size, uint16_t device) {
  return addScratch(size, device, true);
}

uint32_t PlanBuilder::queueScratch(int64_t size, uint16_t device) {
  return addScratch(size, device, false);
}

uint32_t PlanBuilder::event(uint32_t largest) {
  entry().events.push_back(largest);
  return static_cast<uint32_t>(entry().events.size()) - 1;
}

PlanBuilder &PlanBuilder::on(uint16_t device, QueueRole role) {
  queue = {device, role};
  auto [at, isNew] = programs.try_emplace(queue, entry().programs.size());
  if (isNew) {
    entry().programs.push_back(std::make_unique<artifact::ProgramT>());
    entry().programs.back()->device = device;
    entry().programs.back()->queue = artifact::fromQueueRole(role);
  }
  commands = &entry().programs[at->second]->commands;
  return *this;
}

artifact::Command &PlanBuilder::addCommand(Opcode opcode, const std::string &op,
                                           uint32_t index,
                                           const std::vector<uint32_t> &buffers,
                                           uint64_t bytes, bool crossing) {
  const auto firstView = static_cast<uint32_t>(entry().views.size());
  for (uint32_t buffer : buffers)
    entry().views.emplace_back(buffer, 0, 0);
  entry().names.push_back(op);
  return commands->emplace_back(
      opcode,
      crossing ? static_cast<uint8_t>(artifact::CommandFlags::Crossing)
               : uint8_t(0),
      static_cast<uint32_t>(entry().names.size()) - 1, index, firstView,
      static_cast<uint32_t>(buffers.size()), 0, 0, bytes);
}

/// `command` with another value and other strides.
static artifact::Command changed(const artifact::Command &command,
                                 int32_t value, uint32_t strides) {
  return {command.opcode(),
          command.flags(),
          command.name(),
          command.index(),
          command.first_view(),
          command.num_views(),
          value,
          strides,
          command.bytes()};
}

void PlanBuilder::repeat(uint32_t trips) {
  loops.push_back(commands->size());
  addCommand(Opcode::Repeat, "repeat", trips, {}, 0, false);
}

void PlanBuilder::endRepeat() {
  const size_t at = loops.back();
  loops.pop_back();
  artifact::Command &command = (*commands)[at];
  command = changed(command, static_cast<int32_t>(commands->size() - at - 1),
                    command.strides());
}

void PlanBuilder::move(int index, const std::vector<int64_t> &strides) {
  artifact::Command &command = commands->back();
  const auto first = static_cast<uint32_t>(entry().strides.size());
  const int64_t unit = index < 0 ? 1 : static_cast<int64_t>(sizeof(float));
  for (int64_t stride : strides)
    entry().strides.push_back(stride * unit);
  if (index < 0) {
    command = changed(command, command.value(), first);
    return;
  }
  artifact::View &view =
      entry().views[command.first_view() + static_cast<uint32_t>(index)];
  view = artifact::View(view.buffer(), first, view.byte_offset());
}

void PlanBuilder::addLaunch(const std::string &op,
                            const std::string &kernelName,
                            const std::vector<uint32_t> &operands,
                            const std::vector<uint32_t> &results,
                            const AttrMap &attrs, int64_t partSize) {
  auto kernel = std::make_unique<artifact::KernelT>();
  kernel->name = kernelName;
  kernel->attributes = artifact::fromAttrMap(attrs);
  std::vector<uint32_t> buffers = operands;
  const auto typeOf = [&](uint32_t buffer) {
    return artifact::fromTensorDesc(
        vectorDesc(partSize ? partSize : sizes[buffer]));
  };
  for (uint32_t buffer : operands)
    kernel->operands.push_back(typeOf(buffer));
  for (uint32_t buffer : results) {
    kernel->results.push_back(typeOf(buffer));
    buffers.push_back(buffer);
  }
  variant().kernels.push_back(std::move(kernel));
  ++entry().num_groups[queue.first];
  addCommand(Opcode::Launch, op,
             static_cast<uint32_t>(variant().kernels.size()) - 1, buffers, 0,
             false);
}

void PlanBuilder::launch(const std::string &op, const std::string &kernel,
                         const std::vector<uint32_t> &operands,
                         const std::vector<uint32_t> &results,
                         const AttrMap &attrs) {
  addLaunch(op, kernel, operands, results, attrs, 0);
}

void PlanBuilder::launchOn(int64_t size, const std::string &op,
                           const std::string &kernel,
                           const std::vector<uint32_t> &operands,
                           const std::vector<uint32_t> &results,
                           const AttrMap &attrs) {
  addLaunch(op, kernel, operands, results, attrs, size);
}

uint32_t PlanBuilder::gpuCode(const std::vector<std::byte> &code) {
  std::vector<float> words(code.size() / sizeof(float));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(float));
  const uint32_t blob = addBlob(words, "code");
  root.blobs[blob]->type.reset();
  return blob;
}

void PlanBuilder::launchOnGpu(const std::string &op, uint32_t code,
                              uint32_t function,
                              const std::vector<uint32_t> &operands,
                              uint32_t result, const AttrMap &attrs) {
  launchPartOnGpu(sizes[result], op, code, function, operands, result, attrs);
}

void PlanBuilder::launchPartOnGpu(int64_t size, const std::string &op,
                                  uint32_t code, uint32_t function,
                                  const std::vector<uint32_t> &operands,
                                  uint32_t result, const AttrMap &attrs) {
  addLaunch(op, "generated", operands, {result}, attrs, size);
  artifact::KernelT &kernel = *variant().kernels.back();
  const int64_t threads = size % 4 ? 1 : 4;
  kernel.code = static_cast<int32_t>(code);
  kernel.function = function;
  kernel.tasks = static_cast<uint64_t>(size / threads);
  kernel.grain = 1;
  kernel.threads = static_cast<uint32_t>(threads);
}

void PlanBuilder::copy(const std::string &op, uint32_t from, uint32_t to,
                       bool crossing, bool inPlace) {
  addCommand(Opcode::Copy, op, 0, {from, to},
             inPlace ? 0 : static_cast<uint64_t>(sizes[from]) * sizeof(float),
             crossing);
}

void PlanBuilder::fill(const std::string &op, uint32_t to) {
  addCommand(Opcode::Fill, op, 0, {to},
             static_cast<uint64_t>(sizes[to]) * sizeof(float), false);
}

artifact::TensorT &PlanBuilder::addTensor(const std::string &name) {
  auto &tensor =
      *entry().tensors.emplace_back(std::make_unique<artifact::TensorT>());
  tensor.name = static_cast<uint32_t>(entry().names.size());
  tensor.program = static_cast<uint16_t>(programs.at(queue));
  tensor.command = static_cast<int32_t>(commands->size()) - 1;
  entry().names.push_back(name);
  return tensor;
}

void PlanBuilder::tensor(const std::string &name, uint32_t buffer) {
  artifact::TensorT &tensor = addTensor(name);
  tensor.view = static_cast<int32_t>(entry().views.size());
  tensor.type = artifact::fromTensorDesc(vectorDesc(sizes[buffer]));
  entry().views.emplace_back(buffer, 0, 0);
}

void PlanBuilder::inside(const std::string &name) { addTensor(name); }

void PlanBuilder::record(uint32_t event, int32_t value) {
  artifact::Command &command =
      addCommand(Opcode::Record, "record", event, {}, 0, false);
  command = changed(command, value, 0);
}

void PlanBuilder::wait(uint32_t event, int32_t value) {
  artifact::Command &command =
      addCommand(Opcode::Wait, "wait", event, {}, 0, false);
  command = changed(command, value, 0);
}

[[noreturn]] static void refuse(const Status &status) {
  std::fprintf(stderr, "bad test plan: %s\n",
               std::string(status.message()).c_str());
  std::abort();
}

std::vector<std::byte> PlanBuilder::bytes() {
  std::vector<artifact::BlobBytes> views;
  for (const std::vector<float> &values : blobs)
    views.push_back(std::as_bytes(std::span(values)));
  auto file = artifact::toBytes(root, views);
  if (!file.isOk())
    refuse(file.status());
  return *std::move(file);
}

artifact::Artifact PlanBuilder::build() {
  auto artifact = artifact::Artifact::fromBytes(bytes());
  if (!artifact.isOk())
    refuse(artifact.status());
  return *std::move(artifact);
}
