//===- SmallModel.cpp - A model for tests -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallModel.h"

#include "weir/Artifact/Format.h"
#include "weir/Support/ContentHash.h"

#include <cstring>

using namespace weir;
using namespace weir::artifact;

namespace {
std::unique_ptr<TensorTypeT> f32(std::vector<int64_t> dims) {
  return fromTensorDesc(TensorDesc::rowMajor(DType::F32, std::move(dims)));
}

void addBlob(SmallModel &small, std::string name, std::vector<int64_t> dims) {
  auto blob = std::make_unique<BlobT>();
  blob->name = std::move(name);
  blob->type = f32(dims);
  size_t bytes = TensorDesc::rowMajor(DType::F32, dims).spanBytes();
  small.model.blobs.push_back(std::move(blob));
  small.blobs.emplace_back(bytes, std::byte(small.blobs.size() + 1));
}

void addDevice(VariantT &variant, std::string name, bool isIsolated) {
  auto device = std::make_unique<DeviceT>();
  device->name = std::move(name);
  device->isolated = isIsolated;
  variant.devices.push_back(std::move(device));
}

std::unique_ptr<PortT> port(std::string name, std::vector<int64_t> dims) {
  auto result = std::make_unique<PortT>();
  result->name = std::move(name);
  result->type = f32(std::move(dims));
  return result;
}

void addKernel(VariantT &variant, std::string name,
               std::vector<std::vector<int64_t>> operands) {
  auto kernel = std::make_unique<KernelT>();
  kernel->name = std::move(name);
  for (auto &dims : operands)
    kernel->operands.push_back(f32(dims));
  kernel->results.push_back(f32({2, 4}));
  variant.kernels.push_back(std::move(kernel));
}

void addBuffer(EntryT &entry, BufferKind kind, uint32_t index, uint16_t space,
               uint64_t offset, uint64_t bytes) {
  auto buffer = std::make_unique<BufferT>();
  buffer->kind = kind;
  buffer->index = index;
  buffer->space = space;
  buffer->offset = offset;
  buffer->bytes = bytes;
  entry.buffers.push_back(std::move(buffer));
}

void addArena(EntryT &entry, uint16_t device, bool perFrame, uint64_t bytes) {
  auto arena = std::make_unique<ArenaT>();
  arena->device = device;
  arena->per_frame = perFrame;
  arena->bytes = bytes;
  arena->lower_bound = 32;
  entry.arenas.push_back(std::move(arena));
}

void addProgram(EntryT &entry, uint16_t device, artifact::QueueRole queue,
                std::vector<Command> commands) {
  auto program = std::make_unique<ProgramT>();
  program->device = device;
  program->queue = queue;
  program->commands = std::move(commands);
  entry.programs.push_back(std::move(program));
}

void addTensor(EntryT &entry, uint32_t name, uint16_t program, int32_t command,
               int32_t view) {
  auto tensor = std::make_unique<TensorT>();
  tensor->name = name;
  tensor->program = program;
  tensor->command = command;
  tensor->view = view;
  if (view >= 0)
    tensor->type = f32({2, 4});
  entry.tensors.push_back(std::move(tensor));
}

void addKernels(VariantT &variant) {
  addKernel(variant, "matmul", {{2, 3}, {3, 4}});
  addKernel(variant, "binary", {{2, 4}, {4}});
  KernelT &matmul = *variant.kernels[0], &binary = *variant.kernels[1];
  matmul.flops = 56;
  matmul.post_ops.push_back(std::make_unique<PostOpT>());
  matmul.post_ops[0]->algorithm = "eltwise_relu";
  AttrMap attrs;
  attrs.set("algorithm", std::string("binary_add"));
  attrs.set("axes", std::vector<int64_t>{0, 1});
  attrs.set("scale", std::vector<double>{0.5});
  attrs.set("nothing", std::vector<double>());
  binary.attributes = fromAttrMap(attrs);
  binary.overwrites = {0};
}

void addVariable(VariantT &variant, uint32_t blob, uint16_t device) {
  auto variable = std::make_unique<VariableT>();
  variable->blob = blob;
  variable->device = device;
  variant.variables.push_back(std::move(variable));
}

void fillEntry(EntryT &entry) {
  entry.name = "main";
  entry.inputs.push_back(port("x", {2, 3}));
  entry.outputs.push_back(port("y", {2, 4}));
  entry.outputs.back()->space = 2;
  addArena(entry, 0, /*perFrame=*/true, 128);
  addArena(entry, 1, /*perFrame=*/true, 64);
  addArena(entry, 0, /*perFrame=*/false, 64);
  addBuffer(entry, BufferKind::Input, 0, 0, 0, 24);
  addBuffer(entry, BufferKind::Parameter, 0, 0, 0, 48);
  addBuffer(entry, BufferKind::Scratch, 0, 0, 64, 32);
  addBuffer(entry, BufferKind::Scratch, 1, 2, 0, 32);
  addBuffer(entry, BufferKind::Variable, 0, 2, 0, 16);
  addBuffer(entry, BufferKind::Output, 0, 2, 0, 32);
  addBuffer(entry, BufferKind::Scratch, 2, 0, 0, 32);
  entry.strides = {0, 8, 1, 2};
  entry.views = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}, {3, 0, 0},
                 {3, 0, 0}, {4, 0, 0}, {5, 0, 0}, {6, 1, 0}};
  entry.names = {"product", "product to cpu:1", "sum"};
  entry.events = {1, 4};
  entry.num_groups = {1, 1};
  auto crossing = static_cast<uint8_t>(CommandFlags::Crossing);
  addProgram(entry, 0, artifact::QueueRole::Compute,
             {Command(Opcode::Launch, 0, 0, 0, 0, 3, 0, 0, 0),
              Command(Opcode::Record, 0, 0, 0, 0, 0, 1, 0, 0),
              Command(Opcode::Repeat, 0, 0, 4, 0, 0, 1, 0, 0),
              Command(Opcode::Fill, 0, 0, 0, 8, 1, 0, 0, 8)});
  addProgram(entry, 1, artifact::QueueRole::CopyIn,
             {Command(Opcode::Wait, 0, 1, 0, 0, 0, 1, 0, 0),
              Command(Opcode::Copy, crossing, 1, 0, 3, 2, 0, 0, 32),
              Command(Opcode::Repeat, 0, 1, 2, 0, 0, 2, 0, 0),
              Command(Opcode::Record, 0, 1, 1, 0, 0, 1, 3, 0),
              Command(Opcode::Wait, 0, 1, 1, 0, 0, -1, 3, 0),
              Command(Opcode::Record, 0, 1, 1, 0, 0, 4, 0, 0)});
  addProgram(entry, 1, artifact::QueueRole::Compute,
             {Command(Opcode::Wait, 0, 2, 1, 0, 0, 3, 0, 0),
              Command(Opcode::Launch, 0, 2, 1, 5, 3, 0, 0, 0)});
  entry.programs[1]->predictions.resize(6);
  entry.programs[1]->predictions[1] = Prediction(5000, 1);
  addTensor(entry, 0, 0, 0, 2);
  addTensor(entry, 2, 2, 1, 7);
  addTensor(entry, 1, 2, 1, -1);
  addTensor(entry, 1, 0, -1, -1);
}
} // namespace

SmallModel::SmallModel() {
  model.producer = "test";
  addBlob(*this, "w", {3, 4});
  addBlob(*this, "b", {4});
  model.variants.push_back(std::make_unique<VariantT>());
  VariantT &variant = *model.variants.back();
  addDevice(variant, "cpu:0", false);
  addDevice(variant, "cpu:1", true);
  addKernels(variant);
  addVariable(variant, 1, 1);
  variant.frames = 2;
  variant.entries.push_back(std::make_unique<EntryT>());
  fillEntry(entry());
}

void SmallModel::setIndex(size_t program, size_t index, uint32_t value) {
  const Command &old = command(program, index);
  command(program, index) =
      Command(old.opcode(), old.flags(), old.name(), value, old.first_view(),
              old.num_views(), old.value(), old.strides(), old.bytes());
}

VariableT &SmallModel::makeBucket(uint64_t gap) {
  addBlob(*this, "c", {1});
  VariableT &bucket = *variant().variables[0];
  bucket.name = "all";
  bucket.parts = {{1, 16}, {static_cast<uint32_t>(blobs.size()) - 1, 32}};
  bucket.bytes = 36 + gap;
  entry().buffers[4]->bytes = bucket.bytes;
  entry().views[6] = {4, 0, 16};
  return bucket;
}

void SmallModel::fill(size_t index) {
  BlobT &blob = *model.blobs[index];
  blob.fill = fromFill(UniformFill{1, -1, 1});
  blob.bytes = blobs[index].size();
  blobs[index].clear();
}

void SmallModel::setValue(size_t program, size_t index, int32_t value) {
  const Command &old = command(program, index);
  command(program, index) = Command(
      old.opcode(), old.flags(), old.name(), old.index(), old.first_view(),
      old.num_views(), value, old.strides(), old.bytes());
}

void weir::artifact::fixChecksum(std::vector<std::byte> &file) {
  if (file.size() < sizeof(FileHeader))
    return;
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  Checksum checksum;
  checksum.update(std::span(file)
                      .first(checksumEnd(header, file.size()))
                      .subspan(checksumBegin));
  uint64_t value = checksum.value();
  std::memcpy(file.data() + offsetof(FileHeader, checksum), &value,
              sizeof(value));
}
