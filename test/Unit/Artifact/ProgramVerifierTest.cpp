//===- ProgramVerifierTest.cpp - Rules of well-formed programs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BrokenRule.h"
#include "weir/Artifact/Format.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::artifact;

namespace {
const std::vector<BrokenRule> brokenRules = {
    {"result in the bytes of an operand",
     [](auto &m) {
       m.entry().views[7] = View(3, 0, 0);
       m.kernel(1).overwrites.clear();
     },
     {"command 1 ('sum')", "result 0 shares bytes with operand 0",
      "does not say it may overwrite"}},
    {"result that overwrites another part of the operand",
     [](auto &m) {
       m.entry().buffers[3]->bytes = 64;
       m.entry().views[7] = View(3, 0, 16);
     },
     {"command 1 ('sum')", "overwrites operand 0, but at another place"}},
    {"results that share bytes",
     [](auto &m) {
       KernelT &kernel = m.kernel(0);
       kernel.results.push_back(
           std::make_unique<TensorTypeT>(*kernel.results[0]));
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 0, 0, 4, 0, 0, 0);
     },
     {"command 0 ('product')", "results 0 and 1 share bytes"}},
    {"tensors that lie between each other without end",
     [](auto &m) {
       m.entry().buffers[3]->bytes = 64;
       KernelT &kernel = m.kernel(1);
       kernel.overwrites.clear();
       auto &columns = *kernel.results[0];
       columns.dims.insert(columns.dims.begin(), maxRank - 2, 1);
       columns.strides.assign(maxRank, 8);
       columns.strides.back() = 1;
       constexpr uint32_t numOperands = 256;
       kernel.operands.clear();
       for (uint32_t i = 0; i < numOperands; ++i)
         kernel.operands.push_back(std::make_unique<TensorTypeT>(columns));
       auto &views = m.entry().views;
       views.insert(views.end(), numOperands, View(3, 0, 0));
       views.push_back(View(3, 0, 16));
       auto &commands = m.entry().programs[2]->commands;
       commands.assign(
           maxOverlapSteps / (4 * maxRank * maxRank * numOperands) + 1,
           Command(Opcode::Launch, 0, 2, 1, 9, numOperands + 1, 0, 0, 0));
     },
     {"program 2", "command 256", "takes more than 67108864 steps"}},
    {"predictions of other commands",
     [](auto &m) { m.entry().programs[1]->predictions.resize(5); },
     {"program 1", "predictions for 5 commands; there are 6"}},
    {"strides of a view behind the list",
     [](auto &m) { m.entry().views[8] = View(6, 4, 0); },
     {"view 8", "stride 4; the entry has 4"}},
    {"repeat of no command",
     [](auto &m) { m.setValue(0, 2, 0); },
     {"program 0", "command 2", "repeats the 0 commands"}},
    {"repeat behind the end of the program",
     [](auto &m) { m.setValue(0, 2, 2); },
     {"program 0", "command 2", "repeats the 2 commands", "expected 1 to 1"}},
    {"repeat that ends behind the one around it",
     [](auto &m) {
       auto &commands = m.entry().programs[1]->commands;
       commands[3] = Command(Opcode::Repeat, 0, 0, 2, 0, 0, 2, 0, 0);
     },
     {"program 1", "command 3", "repeats the 2 commands", "expected 1 to 1"}},
    {"repeat of no trip",
     [](auto &m) { m.setIndex(0, 2, 0); },
     {"program 0", "command 2", "0 trips"}},
    {"repeats that are too deep",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       for (int32_t i = 0; i < 8; ++i)
         commands.insert(commands.begin() + 2,
                         Command(Opcode::Repeat, 0, 0, 1, 0, 0, i + 2, 0, 0));
     },
     {"program 0", "command 10", "inside of 8 repeats"}},
    {"repeat of too many commands",
     [](auto &m) { m.setIndex(0, 2, UINT32_MAX); },
     {"program 0", "command 3", "more than the 16777216 commands"}},
    {"view that leaves its buffer in the last trip",
     [](auto &m) { m.entry().strides[1] = 9; },
     {"program 0", "command 3", "needs 8 bytes at byte 27 of buffer 6"}},
    {"view that leaves its buffer backwards",
     [](auto &m) { m.entry().strides[1] = -1; },
     {"command 3", "needs 8 bytes at byte -3 of buffer 6"}},
    {"view that moves too far",
     [](auto &m) { m.entry().strides[1] = INT64_MAX; },
     {"command 3", "view 8", "moves it by more than"}},
    {"view without a stride for each repeat",
     [](auto &m) {
       m.entry().views[8] = View(6, 3, 0);
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin() + 2,
                       Command(Opcode::Repeat, 0, 0, 1, 0, 0, 2, 0, 0));
     },
     {"command 4", "inside of 2 repeats", "strides from 3; the entry has 4"}},
    {"target of a copy of no bytes, without a stride for each repeat",
     [](auto &m) {
       m.command(0, 3) = Command(Opcode::Copy, 0, 0, 0, 7, 2, 0, 0, 0);
       m.entry().views[8] = View(6, 3, 0);
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin() + 2,
                       Command(Opcode::Repeat, 0, 0, 1, 0, 0, 2, 0, 0));
     },
     {"command 4", "inside of 2 repeats", "strides from 3; the entry has 4"}},
    {"view that moves by a part of an element",
     [](auto &m) {
       m.entry().buffers[2]->bytes = 64;
       m.entry().strides[1] = 2;
       m.entry().views[2] = View(2, 1, 0);
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(),
                       Command(Opcode::Repeat, 0, 0, 2, 0, 0, 1, 0, 0));
     },
     {"command 1", "view 2 moves by bytes that are not aligned"}},
    {"tensor of a command that is repeated",
     [](auto &m) { m.entry().tensors[0]->command = 3; },
     {"tensor 0", "command 3, which a Repeat carries out"}},
    {"arena of a queue with an unknown role",
     [](auto &m) {
       m.entry().arenas[2]->queue = static_cast<artifact::QueueRole>(3);
     },
     {"arena 2", "its queue has the unknown role 3",
      "expected one of compute, copy_in, copy_out"}},
    {"arena of each run with an unknown role",
     [](auto &m) {
       m.entry().arenas[0]->queue = static_cast<artifact::QueueRole>(65535);
     },
     {"arena 0", "its queue has the unknown role 65535"}},
    {"queue that accesses the arena of another one",
     [](auto &m) { m.entry().arenas[2]->queue = artifact::QueueRole::CopyIn; },
     {"program 0", "command 3", "only queue copy_in of device 0 may access"}},
    {"event whose values shrink",
     [](auto &m) { m.entry().strides[3] = 0; },
     {"program 1", "command 3",
      "records value 1 of event 1, which has "
      "reached 1"}},
    {"event recorded with value 0",
     [](auto &m) { m.setValue(0, 1, 0); },
     {"program 0", "command 1", "records value 0 of event 0"}},
    {"event of two programs",
     [](auto &m) {
       auto &commands = m.entry().programs[2]->commands;
       commands.push_back(Command(Opcode::Record, 0, 0, 1, 0, 0, 5, 0, 0));
       m.entry().events[1] = 5;
     },
     {"program 2", "records event 1, which program 1 records too"}},
    {"event whose value overflows",
     [](auto &m) { m.entry().strides[3] = INT32_MAX; },
     {"program 1", "command 3", "the value of event 1 goes from 1 to"}},
    {"event with another largest value",
     [](auto &m) { m.entry().events[1] = 5; },
     {"event 1 has the largest value 5, but a run records 4"}},
    {"wait for a value that is not reached",
     [](auto &m) { m.setValue(2, 0, 5); },
     {"program 2", "value 5 of event 1 for ever"}},
    {"wait for a later trip of its own program",
     [](auto &m) { m.setValue(1, 4, 2); },
     {"program 1", "command 4", "value 2 of event 1 for ever"}},
    {"launch on a queue that copies",
     [](auto &m) {
       m.entry().programs[0]->queue = artifact::QueueRole::CopyIn;
     },
     {"program 0", "command 0",
      "launches a kernel on queue copy_in; expected queue compute"}},
    {"output that nothing writes",
     [](auto &m) { m.entry().views[7] = View(3, 0, 0); },
     {"no command writes output 0 ('y')"}},
    {"names used without end",
     [](auto &m) {
       m.entry().names[0] = std::string(size_t(1) << 20, 'n');
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(), 256, Command(m.command(0, 0)));
     },
     {"command", "names of commands and of what they use have more than "
                 "268435456 bytes"}},
    {"views used without end",
     [](auto &m) {
       Command launch = m.command(0, 0);
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(), maxViewUses / 3, launch);
     },
     {"command", "more than the 16777216 views"}},
    {"views that move in many repeats, used without end",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       const Command fill = commands[3];
       m.entry().strides.assign(10, 0);
       commands.insert(commands.end(), maxViewUses / 9 + 1, fill);
       const auto end = static_cast<int32_t>(commands.size());
       for (int32_t i = 1; i < 8; ++i)
         commands.insert(
             commands.begin() + 2,
             Command(Opcode::Repeat, 0, 0, 1, 0, 0, end - 3 + i, 0, 0));
       commands[9] = Command(Opcode::Repeat, 0, 0, 1, 0, 0, end - 3, 0, 0);
     },
     {"command", "more than the 16777216 views"}},
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
     [](auto &m) { m.entry().tensors[0]->view = 9; },
     {"tensor 0", "view 9; the entry has 9"}},
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
    {"view of a missing buffer",
     [](auto &m) { m.entry().views[0] = View(7, 0, 0); },
     {"view 0", "buffer 7"}},
    {"view behind its buffer",
     [](auto &m) { m.entry().views[0] = View(0, 0, 25); },
     {"view 0", "byte 25"}},
    {"program on a missing device",
     [](auto &m) { m.entry().programs[0]->device = 2; },
     {"program 0", "device 2"}},
    {"program of a queue with an unknown role",
     [](auto &m) {
       m.entry().programs[0]->queue = static_cast<artifact::QueueRole>(3);
     },
     {"program 0", "its queue has the unknown role 3",
      "expected one of compute, copy_in, copy_out"}},
    {"two programs of one queue",
     [](auto &m) {
       m.entry().programs[1]->queue = artifact::QueueRole::Compute;
     },
     {"program 2", "device 1 has a second program for queue compute"}},
    {"event that nothing records",
     [](auto &m) { m.entry().events.push_back(1); },
     {"event 2 has the largest value 1, but a run records 0"}},
    {"unknown opcode",
     [](auto &m) {
       m.command(0, 0) =
           Command(static_cast<Opcode>(6), 0, 0, 0, 0, 0, 0, 0, 0);
     },
     {"program 0", "command 0 ('product')", "opcode 6"}},
    {"missing name",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 3, 0, 0, 3, 0, 0, 0);
     },
     {"command 0", "name is 3"}},
    {"flag of another opcode",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 1, 0, 0, 0, 3, 0, 0, 0);
     },
     {"command 0", "flags 0x1"}},
    {"missing kernel",
     [](auto &m) { m.setIndex(0, 0, 2); },
     {"kernel 2; the variant has 2"}},
    {"views that do not fit the kernel",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 0, 0, 2, 0, 0, 0);
     },
     {"2 views; expected 3"}},
    {"views behind the list",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Launch, 0, 0, 0, 7, 3, 0, 0, 0);
     },
     {"3 views from 7"}},
    {"operand behind its buffer",
     [](auto &m) { m.entry().views[1] = View(1, 0, 4); },
     {"needs 48 bytes at byte 4 of buffer 1"}},
    {"unaligned operand",
     [](auto &m) { m.entry().views[1] = View(1, 0, 2); },
     {"not aligned"}},
    {"launch on memory of another device",
     [](auto &m) { m.entry().views[2] = View(3, 0, 0); },
     {"device 0 cannot reach buffer 3 in space 2"}},
    {"launch on an input in the memory of another device",
     [](auto &m) {
       m.entry().inputs[0]->space = 2;
       m.entry().buffers[0]->space = 2;
     },
     {"device 0 cannot reach buffer 0 in space 2"}},
    {"launch of an isolated device on memory of the host",
     [](auto &m) { m.entry().views[5] = View(2, 0, 0); },
     {"device 1 cannot reach buffer 2 in space 0"}},
    {"launch that writes a parameter",
     [](auto &m) { m.entry().views[2] = View(1, 0, 0); },
     {"writes to buffer 1"}},
    {"copy to an input",
     [](auto &m) {
       m.entry().views[4] = View(0, 0, 0);
       m.command(1, 1) = Command(Opcode::Copy, 0, 1, 0, 3, 2, 0, 0, 24);
     },
     {"writes to buffer 0"}},
    {"copy of too much",
     [](auto &m) {
       m.command(1, 1) = Command(Opcode::Copy, 1, 1, 0, 3, 2, 0, 0, 33);
     },
     {"needs 33 bytes"}},
    {"crossing within a device",
     [](auto &m) { m.entry().views[4] = View(2, 0, 0); },
     {"marked as a crossing"}},
    {"missing event", [](auto &m) { m.setIndex(1, 0, 2); }, {"event 2"}},
    {"event recorded twice",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin() + 2, commands[1]);
     },
     {"program 0", "command 2", "event 0, which has reached 1"}},
    {"event never recorded",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       commands.erase(commands.begin() + 1);
     },
     {"program 1", "value 1 of event 0 for ever"}},
    {"circular wait",
     [](auto &m) {
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.begin(),
                       Command(Opcode::Wait, 0, 0, 1, 0, 0, 4, 0, 0));
     },
     {"program 0", "value 4 of event 1 for ever"}},
    {"fill behind its buffer",
     [](auto &m) {
       m.command(0, 0) = Command(Opcode::Fill, 0, 0, 0, 2, 1, 0, 0, 33);
     },
     {"needs 33 bytes"}},
};
} // namespace

// Every broken rule is refused by a message that says where and what.
TEST(ProgramVerifierTest, refusesEachBrokenRule) { expectRefused(brokenRules); }

// Devices that share memory read and write each other's buffers, and hand a
// value over by a copy of no bytes.
TEST(ProgramVerifierTest, acceptsSharedMemory) {
  SmallModel small;
  small.variant().devices[1]->isolated = false;
  for (auto &buffer : small.entry().buffers)
    buffer->space = hostSpace;
  small.entry().outputs[0]->space = hostSpace;
  small.entry().views[4] = View(2, 0, 0);
  small.entry().views[5] = View(2, 0, 0);
  small.command(1, 1) = Command(Opcode::Copy, 1, 1, 0, 3, 2, 0, 0, 0);
  EXPECT_EQ(refusal(small), "");
}

// A kernel may overwrite the operand that it names.
TEST(ProgramVerifierTest, acceptsOverwriting) {
  SmallModel small;
  small.entry().views[7] = View(3, 0, 0);
  auto &commands = small.entry().programs[2]->commands;
  commands.push_back(Command(Opcode::Copy, 0, 2, 0, 9, 2, 0, 0, 32));
  small.entry().views.push_back(View(3, 0, 0));
  small.entry().views.push_back(View(5, 0, 0));
  EXPECT_EQ(refusal(small), "");
}

// The columns of a matrix share no bytes, although they lie between each other.
TEST(ProgramVerifierTest, acceptsInterleavedParts) {
  SmallModel small;
  small.kernel(1).overwrites.clear();
  auto setColumns = [&](size_t offset) {
    small.entry().views[7] = View(3, 0, offset);
    small.kernel(1).operands[0]->strides = {8, 1};
    small.kernel(1).results[0]->strides = {8, 1};
  };
  small.entry().buffers[3]->bytes = 64;
  auto &commands = small.entry().programs[2]->commands;
  commands.push_back(Command(Opcode::Copy, 0, 2, 0, 9, 2, 0, 0, 32));
  small.entry().views.push_back(View(3, 0, 0));
  small.entry().views.push_back(View(5, 0, 0));
  setColumns(16);
  EXPECT_EQ(refusal(small), "");
  setColumns(12);
  EXPECT_NE(refusal(small), "");
}
