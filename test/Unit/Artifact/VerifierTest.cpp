//===- VerifierTest.cpp - Rules of a well-formed model -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallModel.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

using namespace weir;
using namespace weir::artifact;

namespace {
/// A way to break one rule, and what the error must say: where and what.
struct BrokenRule {
  const char *what;
  std::function<void(SmallModel &)> breakIt;
  std::vector<std::string> said;
};

const std::vector<BrokenRule> brokenRules = {
    {"no variant", [](auto &m) { m.model.variants.clear(); }, {"no variant"}},
    {"no device",
     [](auto &m) { m.model.variants[0]->devices.clear(); },
     {"variant 0", "0 devices"}},
    {"two devices of one name",
     [](auto &m) {
       m.model.variants[0]->devices[1]->name = std::string("cpu:0");
     },
     {"device 1", "'cpu:0' is used twice"}},
    {"device without a name of the right form",
     [](auto &m) { m.model.variants[0]->devices[1]->name = "cpu:zz\x1b[31m"; },
     {"device 1", "'cpu:zz?[31m' is not a device name", "cpu:0"}},
    {"too many threads",
     [](auto &m) { m.model.variants[0]->devices[0]->threads = 5000; },
     {"device 0", "5000 threads"}},
    {"no entry",
     [](auto &m) { m.model.variants[0]->entries.clear(); },
     {"no entry"}},
    {"unnamed entry", [](auto &m) { m.entry().name.clear(); }, {"empty"}},
    {"two blobs of one name",
     [](auto &m) { m.model.blobs[1]->name = std::string("w"); },
     {"blob 1", "used twice"}},
    {"blob smaller than its type",
     [](auto &m) {
       m.model.blobs[0]->type->dims = {3, 5};
     },
     {"blob 0", "needs"}},
    {"group counts of other devices",
     [](auto &m) { m.entry().num_groups = {1}; },
     {"entry 'main'", "groups of 1 devices"}},
    {"negative dim",
     [](auto &m) { m.entry().kernels[0]->operands[0]->dims[0] = -1; },
     {"kernel 0", "operand 0", "negative"}},
    {"negative stride",
     [](auto &m) { m.entry().kernels[0]->operands[0]->strides[0] = -3; },
     {"operand 0", "negative"}},
    {"overflowing size",
     [](auto &m) {
       m.entry().kernels[0]->operands[0]->dims = {1ll << 40, 1ll << 40};
     },
     {"operand 0", "more than"}},
    {"overflowing stride",
     [](auto &m) { m.entry().kernels[0]->operands[0]->strides[0] = INT64_MAX; },
     {"operand 0", "more than"}},
    {"stride without a dim",
     [](auto &m) { m.entry().kernels[0]->operands[0]->strides.push_back(1); },
     {"2 dims and 3 strides"}},
    {"tasks of code that is not there",
     [](auto &m) { m.entry().kernels[0]->tasks = 4; },
     {"kernel 0", "generated code", "names no code"}},
    {"code that is not there",
     [](auto &m) { m.entry().kernels[0]->code = 77; },
     {"kernel 0", "its code is blob 77"}},
    {"code of a negative number",
     [](auto &m) { m.entry().kernels[0]->code = -2; },
     {"kernel 0", "its code is blob -2"}},
    {"code that is a tensor",
     [](auto &m) { m.entry().kernels[0]->code = 0; },
     {"kernel 0", "its code is blob 0 ('w'), which is a tensor"}},
    {"code that is never worth a thread",
     [](auto &m) {
       m.entry().kernels[0]->code = 0;
       m.model.blobs[0]->type = nullptr;
     },
     {"kernel 0", "no number above"}},
    {"result that overlaps itself",
     [](auto &m) { m.entry().kernels[0]->results[0]->strides[0] = 0; },
     {"kernel 0", "result 0", "dim 0 of size 2 has stride 0"}},
    {"result whose rows overlap",
     [](auto &m) {
       m.entry().kernels[0]->results[0]->strides = {3, 1};
     },
     {"kernel 0", "result 0", "dim 0 of size 2 has stride 3", "span 4"}},
    {"result with one stride twice",
     [](auto &m) {
       m.entry().kernels[0]->results[0]->strides = {1, 1};
     },
     {"kernel 0", "result 0", "overlap"}},
    {"variable that another device reads",
     [](auto &m) {
       auto buffer = std::make_unique<BufferT>(*m.entry().buffers[4]);
       buffer->kind = BufferKind::Parameter;
       buffer->device = 0;
       m.entry().buffers.push_back(std::move(buffer));
     },
     {"buffer 6", "blob 1 ('b') is a variable of device 1",
      "parameter of device 0"}},
    {"variable on two devices",
     [](auto &m) {
       auto buffer = std::make_unique<BufferT>(*m.entry().buffers[4]);
       buffer->device = 0;
       m.entry().buffers.push_back(std::move(buffer));
     },
     {"buffer 6", "blob 1 ('b')", "variable of device 0"}},
    {"launch on a queue that copies",
     [](auto &m) { m.entry().programs[0]->queue = 1; },
     {"program 0", "command 0", "queue 1; only queue 0 computes"}},
    {"output that nothing writes",
     [](auto &m) { m.entry().views[7] = View(3, 0); },
     {"no command writes output 0 ('y')"}},
    {"views used without end",
     [](auto &m) {
       Command launch = m.command(0, 0);
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(), maxViewUses / 3, launch);
     },
     {"command", "more than the 16777216 views"}},
    {"unknown element type",
     [](auto &m) {
       m.entry().kernels[0]->operands[0]->element_type =
           static_cast<ElementType>(13);
     },
     {"element type 13"}},
    {"post-op reads a missing operand",
     [](auto &m) { m.entry().kernels[0]->post_ops[0]->operand = 2; },
     {"post-op 0", "operand 2"}},
    {"attribute of two kinds",
     [](auto &m) { m.entry().kernels[1]->attributes[0]->ints = {1}; },
     {"attribute 0", "not of its kind"}},
    {"attribute of an unknown kind",
     [](auto &m) {
       m.entry().kernels[1]->attributes[0]->kind =
           static_cast<AttributeKind>(7);
     },
     {"unknown kind 7"}},
    {"port that is not row-major",
     [](auto &m) {
       m.entry().inputs[0]->type->strides = {1, 2};
     },
     {"input 0", "not row-major"}},
    {"tensor without a name",
     [](auto &m) { m.entry().tensors[0]->name = 3; },
     {"tensor 0", "name is number 3; the entry has 3"}},
    {"tensor of a missing program",
     [](auto &m) { m.entry().tensors[0]->program = 3; },
     {"tensor 0", "program 3; the entry has 3"}},
    {"tensor of a missing command",
     [](auto &m) { m.entry().tensors[2]->command = 2; },
     {"tensor 2", "command 2; program 2 has 2"}},
    {"tensor that an event leaves",
     [](auto &m) { m.entry().tensors[0]->command = 1; },
     {"tensor 0", "command 1, a Record, which computes nothing"}},
    {"tensor inside of a wait",
     [](auto &m) { m.entry().tensors[2]->command = 0; },
     {"tensor 2", "command 0, a Wait"}},
    {"tensor at a missing view",
     [](auto &m) { m.entry().tensors[0]->view = 8; },
     {"tensor 0", "view 8; the entry has 8"}},
    {"tensor at no index",
     [](auto &m) { m.entry().tensors[0]->view = -2; },
     {"tensor 0", "view -2"}},
    {"tensor larger than its buffer",
     [](auto &m) {
       m.entry().tensors[1]->type->dims = {2, 5};
       m.entry().tensors[1]->type->strides = {5, 1};
     },
     {"tensor 1", "needs 40 bytes at byte 0 of buffer 5, which has 32"}},
    {"tensor without a type",
     [](auto &m) { m.entry().tensors[0]->type.reset(); },
     {"tensor 0"}},
    {"tensor with a type and no place",
     [](auto &m) { m.entry().tensors[0]->view = -1; },
     {"tensor 0", "a type, but no view"}},
    {"arena on a missing device",
     [](auto &m) { m.entry().arenas[0]->device = 2; },
     {"arena 0", "device 2"}},
    {"arena below its bound",
     [](auto &m) { m.entry().arenas[0]->lower_bound = 1000; },
     {"arena 0", "lower bound of 1000"}},
    {"buffer on a missing device",
     [](auto &m) { m.entry().buffers[0]->device = 9; },
     {"buffer 0", "device 9"}},
    {"buffer of a missing input",
     [](auto &m) { m.entry().buffers[0]->index = 1; },
     {"buffer 0", "input 1"}},
    {"buffer larger than its input",
     [](auto &m) { m.entry().buffers[0]->bytes = 25; },
     {"buffer 0", "25 bytes"}},
    {"buffer of a missing blob",
     [](auto &m) { m.entry().buffers[1]->index = 2; },
     {"buffer 1", "blob 2"}},
    {"buffer larger than its blob",
     [](auto &m) { m.entry().buffers[1]->bytes = 64; },
     {"buffer 1", "64 bytes"}},
    {"buffer in a missing arena",
     [](auto &m) { m.entry().buffers[2]->index = 2; },
     {"buffer 2", "arena 2"}},
    {"buffer behind its arena",
     [](auto &m) { m.entry().buffers[2]->offset = 128; },
     {"buffer 2", "outside arena 0"}},
    {"buffer whose end overflows",
     [](auto &m) { m.entry().buffers[2]->bytes = UINT64_MAX; },
     {"buffer 2", "outside arena 0"}},
    {"unaligned buffer",
     [](auto &m) { m.entry().buffers[2]->offset = 32; },
     {"buffer 2", "multiple of 64"}},
    {"buffer and arena on two devices",
     [](auto &m) { m.entry().buffers[2]->device = 1; },
     {"buffer 2", "arena 0 on device 0"}},
    {"output without a buffer",
     [](auto &m) {
       m.entry().buffers[5] = std::make_unique<BufferT>(*m.entry().buffers[3]);
     },
     {"output 0 ('y')", "no buffer"}},
    {"view of a missing buffer",
     [](auto &m) { m.entry().views[0] = View(6, 0); },
     {"view 0", "buffer 6"}},
    {"view behind its buffer",
     [](auto &m) { m.entry().views[0] = View(0, 25); },
     {"view 0", "byte 25"}},
    {"program on a missing device",
     [](auto &m) { m.entry().programs[0]->device = 2; },
     {"program 0", "device 2"}},
    {"program on a missing queue",
     [](auto &m) { m.entry().programs[0]->queue = 8; },
     {"program 0", "queue 8"}},
    {"two programs of one queue",
     [](auto &m) { m.entry().programs[1]->queue = 0; },
     {"program 2", "second program"}},
    {"more events than commands",
     [](auto &m) { m.entry().num_events = UINT32_MAX; },
     {"4294967295 events"}},
    {"unknown opcode",
     [](auto &m) {
       m.command(0, 0) = Command(static_cast<Opcode>(5), 0, 0, 0, 0, 0, 0);
     },
     {"program 0", "command 0 ('product')", "opcode 5"}},
    {"missing name",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 3, 0, 0, 3, 0);
     },
     {"command 0", "name is 3"}},
    {"flag of another opcode",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 1, 0, 0, 0, 3, 0);
     },
     {"command 0", "flags 0x1"}},
    {"missing kernel",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 2, 0, 3, 0);
     },
     {"kernel 2"}},
    {"views that do not fit the kernel",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 0, 0, 2, 0);
     },
     {"2 views; expected 3"}},
    {"views behind the list",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 0, 7, 3, 0);
     },
     {"3 views from 7"}},
    {"operand behind its buffer",
     [](auto &m) { m.entry().views[1] = View(1, 4); },
     {"needs 48 bytes at byte 4 of buffer 1"}},
    {"unaligned operand",
     [](auto &m) { m.entry().views[1] = View(1, 2); },
     {"not aligned"}},
    {"launch on memory of another device",
     [](auto &m) { m.entry().views[2] = View(3, 0); },
     {"device 0 cannot reach buffer 3"}},
    {"launch that writes a parameter",
     [](auto &m) { m.entry().views[2] = View(1, 0); },
     {"writes to buffer 1"}},
    {"copy to an input",
     [](auto &m) {
       m.entry().buffers[0]->device = 1;
       m.model.variants[0]->devices[0]->isolated = false;
       m.model.variants[0]->devices[1]->isolated = false;
       m.entry().views[4] = View(0, 0);
       m.command(1, 1) = Command(Opcode::Copy, 1, 1, 0, 3, 2, 24);
     },
     {"writes to buffer 0"}},
    {"copy of too much",
     [](auto &m) {
       m.command(1, 1) = Command(Opcode::Copy, 1, 1, 0, 3, 2, 33);
     },
     {"needs 33 bytes"}},
    {"crossing within a device",
     [](auto &m) { m.entry().views[4] = View(2, 0); },
     {"marked as a crossing"}},
    {"missing event",
     [](auto &m) { m.command(1, 0) = Command(Opcode::Wait, 0, 0, 2, 0, 0, 0); },
     {"event 2"}},
    {"event recorded twice",
     [](auto &m) {
       m.command(1, 2) = Command(Opcode::Record, 0, 0, 0, 0, 0, 0);
     },
     {"event 0 a second time"}},
    {"event never recorded",
     [](auto &m) { m.entry().programs[0]->commands.pop_back(); },
     {"program 1", "event 0 for ever"}},
    {"circular wait",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(),
                       Command(Opcode::Wait, 0, 0, 1, 0, 0, 0));
     },
     {"program 0", "event 1 for ever"}},
    {"fill behind its buffer",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Fill, 0, 0, 0, 2, 1, 33);
     },
     {"needs 33 bytes"}},
};
} // namespace

// Every broken rule is refused by a message that says where and what; unbroken,
// the model is accepted.
TEST(VerifierTest, refusesEachBrokenRule) {
  ASSERT_TRUE(Artifact::fromBytes(SmallModel().serialized()).isOk());
  for (const BrokenRule &rule : brokenRules) {
    SCOPED_TRACE(rule.what);
    SmallModel small;
    rule.breakIt(small);
    auto artifact = Artifact::fromBytes(small.serialized());
    ASSERT_FALSE(artifact.isOk());
    std::string message(artifact.status().message());
    for (const std::string &part : rule.said)
      EXPECT_NE(message.find(part), std::string::npos)
          << "'" << part << "' is not in: " << message;
  }
}

// Devices that share memory read and write each other's buffers, and hand a
// value over by a copy of no bytes.
TEST(VerifierTest, acceptsSharedMemory) {
  SmallModel small;
  for (auto &device : small.model.variants[0]->devices)
    device->isolated = false;
  small.entry().views[4] = View(2, 0);
  small.entry().views[5] = View(2, 0);
  small.command(1, 1) = Command(Opcode::Copy, 1, 1, 0, 3, 2, 0);
  auto artifact = Artifact::fromBytes(small.serialized());
  EXPECT_TRUE(artifact.isOk()) << artifact.status().message();
}

// An operand may repeat an element, as a broadcast does, and a tensor may be
// empty.
TEST(VerifierTest, acceptsBroadcastsAndEmptyTensors) {
  SmallModel small;
  small.entry().kernels[1]->operands[1]->dims = {2, 4};
  small.entry().kernels[1]->operands[1]->strides = {0, 1};
  small.entry().kernels[0]->operands[0]->dims = {2, 0};
  auto artifact = Artifact::fromBytes(small.serialized());
  EXPECT_TRUE(artifact.isOk()) << artifact.status().message();
}

// A model whose lists all point at one large table is refused at once, although
// its tables are few: visiting each of its ten thousand million strings would
// take minutes.
TEST(VerifierTest, refusesSharedParts) {
  constexpr size_t numShared = 200'000;
  flatbuffers::FlatBufferBuilder builder;
  auto text = builder.CreateString("f");
  std::vector<flatbuffers::Offset<flatbuffers::String>> texts(numShared, text);
  auto features = builder.CreateVector(texts);
  VariantBuilder variant(builder);
  variant.add_cpu_features(features);
  std::vector<flatbuffers::Offset<Variant>> shared(numShared / 4,
                                                   variant.Finish());
  auto variants = builder.CreateVector(shared);
  auto producer = builder.CreateString("test");
  FinishModelBuffer(builder, CreateModel(builder, producer, variants));

  FileHeader header = {};
  std::memcpy(header.magic, fileMagic, sizeof(fileMagic));
  header.version = formatVersion;
  header.headerBytes = sizeof(header);
  header.modelOffset = sizeof(header);
  header.modelBytes = builder.GetSize();
  header.fileBytes = sizeof(header) + builder.GetSize();
  std::vector<std::byte> file(header.fileBytes);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + sizeof(header), builder.GetBufferPointer(),
              builder.GetSize());
  fixChecksum(file);
  EXPECT_FALSE(Artifact::fromBytes(file).isOk());
}
