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
  root.variants[0]->entries.push_back(std::make_unique<artifact::EntryT>());
  entry().name = "main";
}

uint16_t PlanBuilder::device(const std::string &name, bool isolated,
                             uint16_t threads) {
  auto device = std::make_unique<artifact::DeviceT>();
  device->name = name;
  device->isolated = isolated;
  device->threads = threads;
  auto &devices = root.variants[0]->devices;
  devices.push_back(std::move(device));
  entry().num_groups.push_back(0);
  return static_cast<uint16_t>(devices.size() - 1);
}

uint32_t PlanBuilder::addBuffer(BufferKind kind, uint32_t index,
                                uint16_t device, int64_t size,
                                uint64_t offset) {
  auto buffer = std::make_unique<artifact::BufferT>();
  buffer->kind = kind;
  buffer->index = index;
  buffer->device = device;
  buffer->offset = offset;
  buffer->bytes = static_cast<uint64_t>(size) * sizeof(float);
  entry().buffers.push_back(std::move(buffer));
  sizes.push_back(size);
  return static_cast<uint32_t>(sizes.size()) - 1;
}

static void addPort(std::vector<std::unique_ptr<artifact::PortT>> &ports,
                    const std::string &name, int64_t size) {
  auto port = std::make_unique<artifact::PortT>();
  port->name = name;
  port->type = artifact::fromTensorDesc(vectorDesc(size));
  ports.push_back(std::move(port));
}

uint32_t PlanBuilder::input(const std::string &name, int64_t size,
                            uint16_t device) {
  addPort(entry().inputs, name, size);
  return inputOn(static_cast<uint32_t>(entry().inputs.size()) - 1, size,
                 device);
}

uint32_t PlanBuilder::inputOn(uint32_t port, int64_t size, uint16_t device) {
  return addBuffer(BufferKind::Input, port, device, size);
}

uint32_t PlanBuilder::output(const std::string &name, int64_t size,
                             uint16_t device) {
  addPort(entry().outputs, name, size);
  return addBuffer(BufferKind::Output,
                   static_cast<uint32_t>(entry().outputs.size()) - 1, device,
                   size);
}

uint32_t PlanBuilder::parameter(const std::vector<float> &values,
                                uint16_t device, bool isVariable) {
  const auto size = static_cast<int64_t>(values.size());
  auto blob = std::make_unique<artifact::BlobT>();
  blob->name = std::to_string(blobs.size());
  blob->type = artifact::fromTensorDesc(vectorDesc(size));
  root.blobs.push_back(std::move(blob));
  blobs.push_back(values);
  return addBuffer(isVariable ? BufferKind::Variable : BufferKind::Parameter,
                   lastBlob(), device, size);
}

uint32_t PlanBuilder::parameterOn(uint32_t blob, uint16_t device) {
  return addBuffer(BufferKind::Parameter, blob, device,
                   static_cast<int64_t>(blobs[blob].size()));
}

uint32_t PlanBuilder::arenaOf(uint16_t device) {
  auto [at, isNew] =
      arenas.try_emplace(device, static_cast<uint32_t>(entry().arenas.size()));
  if (isNew) {
    entry().arenas.push_back(std::make_unique<artifact::ArenaT>());
    entry().arenas.back()->device = device;
  }
  return at->second;
}

uint32_t PlanBuilder::scratch(int64_t size, uint16_t device) {
  const uint32_t index = arenaOf(device);
  artifact::ArenaT &arena = *entry().arenas[index];
  const uint64_t offset = arena.bytes;
  arena.bytes += alignTo(static_cast<uint64_t>(size) * sizeof(float),
                         artifact::arenaAlignment);
  return addBuffer(BufferKind::Scratch, index, device, size, offset);
}

PlanBuilder &PlanBuilder::on(uint16_t device, uint16_t queueIndex) {
  queue = {device, queueIndex};
  auto [at, isNew] = programs.try_emplace(queue, entry().programs.size());
  if (isNew) {
    entry().programs.push_back(std::make_unique<artifact::ProgramT>());
    entry().programs.back()->device = device;
    entry().programs.back()->queue = queueIndex;
  }
  commands = &entry().programs[at->second]->commands;
  return *this;
}

void PlanBuilder::addCommand(Opcode opcode, const std::string &op,
                             uint32_t index,
                             const std::vector<uint32_t> &buffers,
                             uint64_t bytes, bool crossing) {
  const auto firstView = static_cast<uint32_t>(entry().views.size());
  for (uint32_t buffer : buffers)
    entry().views.emplace_back(buffer, 0);
  entry().names.push_back(op);
  commands->emplace_back(
      opcode,
      crossing ? static_cast<uint8_t>(artifact::CommandFlags::Crossing)
               : uint8_t(0),
      static_cast<uint32_t>(entry().names.size()) - 1, index, firstView,
      static_cast<uint32_t>(buffers.size()), bytes);
}

void PlanBuilder::launch(const std::string &op, const std::string &kernelName,
                         const std::vector<uint32_t> &operands,
                         const std::vector<uint32_t> &results,
                         const AttrMap &attrs) {
  auto kernel = std::make_unique<artifact::KernelT>();
  kernel->name = kernelName;
  kernel->attributes = artifact::fromAttrMap(attrs);
  std::vector<uint32_t> buffers = operands;
  for (uint32_t buffer : operands)
    kernel->operands.push_back(
        artifact::fromTensorDesc(vectorDesc(sizes[buffer])));
  for (uint32_t buffer : results) {
    kernel->results.push_back(
        artifact::fromTensorDesc(vectorDesc(sizes[buffer])));
    buffers.push_back(buffer);
  }
  entry().kernels.push_back(std::move(kernel));
  ++entry().num_groups[queue.first];
  addCommand(Opcode::Launch, op,
             static_cast<uint32_t>(entry().kernels.size()) - 1, buffers, 0,
             false);
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
  entry().views.emplace_back(buffer, 0);
}

void PlanBuilder::inside(const std::string &name) { addTensor(name); }

void PlanBuilder::record(uint32_t event) {
  addCommand(Opcode::Record, "record", event, {}, 0, false);
}

void PlanBuilder::wait(uint32_t event) {
  addCommand(Opcode::Wait, "wait", event, {}, 0, false);
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
