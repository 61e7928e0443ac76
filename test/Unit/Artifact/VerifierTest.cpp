//===- VerifierTest.cpp - Rules of a well-formed model -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BrokenRule.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace weir;
using namespace weir::artifact;

namespace {
const std::vector<BrokenRule> brokenRules = {
    {"random integers",
     [](auto &m) {
       m.fill(0);
       m.model.blobs[0]->type->element_type = ElementType::I32;
     },
     {"blob 0", "expects elements of a float type"}},
    {"random elements between no numbers",
     [](auto &m) {
       m.fill(0);
       m.model.blobs[0]->fill->low = NAN;
     },
     {"blob 0", "expects finite bounds"}},
    {"random elements of no distribution",
     [](auto &m) {
       m.fill(0);
       m.model.blobs[0]->fill->distribution = static_cast<Distribution>(9);
     },
     {"blob 0", "unknown distribution, number 9"}},
    {"normal elements with a negative deviation",
     [](auto &m) {
       m.fill(0);
       m.model.blobs[0]->fill->distribution = Distribution::Normal;
       m.model.blobs[0]->fill->high = -1;
     },
     {"blob 0", "a finite deviation from 0 on, found"}},
    {"random elements of other bytes",
     [](auto &m) {
       m.fill(0);
       m.model.blobs[0]->bytes += 4;
     },
     {"blob 0", "its type needs"}},
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
    {"two options of one name",
     [](auto &m) {
       auto &options = m.model.variants[0]->devices[0]->options;
       for (const char *value : {"0", "1"}) {
         options.push_back(std::make_unique<DeviceOptionT>());
         options.back()->name = "cores";
         options.back()->value = value;
       }
     },
     {"device 0", "option 1", "'cores' is used twice"}},
    {"no entry",
     [](auto &m) { m.model.variants[0]->entries.clear(); },
     {"no entry"}},
    {"unnamed entry", [](auto &m) { m.entry().name.clear(); }, {"empty"}},
    {"two plans for the same inputs",
     [](auto &m) {
       auto &entries = m.model.variants[0]->entries;
       entries.push_back(std::make_unique<EntryT>(*entries[0]));
     },
     {"entry 'main'", "an earlier entry of this name has inputs of the "
                      "same shapes"}},
    {"plans of one entry with other inputs",
     [](auto &m) {
       auto &entries = m.model.variants[0]->entries;
       entries.push_back(std::make_unique<EntryT>(*entries[0]));
       entries[1]->inputs[0]->name = "z";
     },
     {"entry 'main'", "input 0 is 'z', in an earlier entry of this name 'x'"}},
    {"plans of one entry with another number of inputs",
     [](auto &m) {
       auto &entries = m.model.variants[0]->entries;
       entries.push_back(std::make_unique<EntryT>(*entries[0]));
       auto more = std::make_unique<PortT>(*entries[0]->inputs[0]);
       more->name = "z";
       entries[1]->inputs.push_back(std::move(more));
     },
     {"entry 'main'", "it has 2 inputs, an earlier entry of this name has 1"}},
    {"addresses of many runs in flight",
     [](auto &m) {
       m.model.variants[0]->frames = 256;
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.end(), size_t(1) << 19,
                       Command(Opcode::Fill, 0, 0, 0, 2, 1, 0, 0, 8));
     },
     {"variant 0", "256 runs in flight hold", "at most 67108864 together",
      "compile for 127 or fewer"}},
    {"counters of many runs in flight",
     [](auto &m) {
       m.model.variants[0]->frames = 256;
       auto &commands = m.entry().programs[0]->commands;
       commands.insert(commands.end(), size_t(1) << 19,
                       Command(Opcode::Wait, 0, 0, 0, 0, 0, 1, 0, 0));
     },
     {"256 runs in flight hold", "compile for 127 or fewer"}},
    {"programs of many runs in flight",
     [](auto &m) {
       m.model.variants[0]->frames = 256;
       for (uint16_t number = 1; number < 3072; ++number) {
         m.variant().entries.push_back(std::make_unique<EntryT>(m.entry()));
         EntryT &entry = *m.variant().entries.back();
         entry.name += std::to_string(number);
         for (artifact::QueueRole queue :
              {artifact::QueueRole::CopyIn, artifact::QueueRole::CopyOut}) {
           entry.programs.push_back(std::make_unique<ProgramT>());
           entry.programs.back()->queue = queue;
         }
       }
     },
     {"256 runs in flight hold", "compile for "}},
    {"two arenas of one queue",
     [](auto &m) {
       m.entry().arenas.push_back(
           std::make_unique<ArenaT>(*m.entry().arenas[2]));
     },
     {"arena 3", "device 0 has a second arena of queue compute"}},
    {"two arenas of each run",
     [](auto &m) {
       m.entry().arenas.push_back(
           std::make_unique<ArenaT>(*m.entry().arenas[1]));
     },
     {"arena 3", "device 1 has a second arena of each run in flight"}},
    {"variable whose elements overlap",
     [](auto &m) {
       m.model.blobs[1]->type->dims = {int64_t(1) << 20};
       m.model.blobs[1]->type->strides = {0};
     },
     {"variable 0", "its blob 1: elements overlap"}},
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
     [](auto &m) { m.kernel(0).operands[0]->dims[0] = -1; },
     {"kernel 0", "operand 0", "negative"}},
    {"negative stride",
     [](auto &m) { m.kernel(0).operands[0]->strides[0] = -3; },
     {"operand 0", "negative"}},
    {"overflowing size",
     [](auto &m) {
       m.kernel(0).operands[0]->dims = {1ll << 40, 1ll << 40};
     },
     {"operand 0", "more than"}},
    {"overflowing stride",
     [](auto &m) { m.kernel(0).operands[0]->strides[0] = INT64_MAX; },
     {"operand 0", "more than"}},
    {"operand that repeats more elements than any buffer has",
     [](auto &m) {
       m.kernel(0).operands[0]->dims = {16, int64_t(1) << 40};
       m.kernel(0).operands[0]->strides = {1, 0};
     },
     {"kernel 0", "operand 0",
      "it repeats elements until it has "
      "17592186044416; at most 67108864 are allowed"}},
    {"operand whose rows overlap",
     [](auto &m) {
       m.kernel(0).operands[0]->dims = {1 << 20, 1 << 20};
       m.kernel(0).operands[0]->strides = {1, 1};
     },
     {"kernel 0", "operand 0", "it repeats elements"}},
    {"blob that repeats more elements than any buffer has",
     [](auto &m) {
       m.model.blobs[0]->type->dims = {16, int64_t(1) << 40};
       m.model.blobs[0]->type->strides = {0, 0};
     },
     {"blob 0", "it repeats elements"}},
    {"tensor that repeats more elements than any buffer has",
     [](auto &m) {
       auto &type = *m.entry().tensors[0]->type;
       type.dims = {4, int64_t(1) << 40};
       type.strides = {1, 0};
     },
     {"tensor 0", "it repeats elements"}},
    {"stride without a dim",
     [](auto &m) { m.kernel(0).operands[0]->strides.push_back(1); },
     {"2 dims and 3 strides"}},
    {"tasks of code that is not there",
     [](auto &m) { m.kernel(0).tasks = 4; },
     {"kernel 0", "generated code", "names no code"}},
    {"code that is not there",
     [](auto &m) { m.kernel(0).code = 77; },
     {"kernel 0", "its code is blob 77"}},
    {"code of a negative number",
     [](auto &m) { m.kernel(0).code = -2; },
     {"kernel 0", "its code is blob -2"}},
    {"code that is a tensor",
     [](auto &m) { m.kernel(0).code = 0; },
     {"kernel 0", "its code is blob 0 ('w'), which is a tensor"}},
    {"code that is never worth a thread",
     [](auto &m) {
       m.kernel(0).code = 0;
       m.model.blobs[0]->type = nullptr;
     },
     {"kernel 0", "no number above"}},
    {"threads of code that is not there",
     [](auto &m) { m.kernel(0).threads = 32; },
     {"kernel 0", "generated code", "names no code"}},
    {"blocks of too many threads",
     [](auto &m) {
       m.kernel(0).code = 0;
       m.kernel(0).grain = 1;
       m.kernel(0).threads = 1025;
       m.model.blobs[0]->type = nullptr;
     },
     {"kernel 0", "1025 threads; expected at most 1024"}},
    {"result that overlaps itself",
     [](auto &m) { m.kernel(0).results[0]->strides[0] = 0; },
     {"kernel 0", "result 0", "dim 0 of size 2 has stride 0"}},
    {"result whose rows overlap",
     [](auto &m) {
       m.kernel(0).results[0]->strides = {3, 1};
     },
     {"kernel 0", "result 0", "dim 0 of size 2 has stride 3", "span 4"}},
    {"result with one stride twice",
     [](auto &m) {
       m.kernel(0).results[0]->strides = {1, 1};
     },
     {"kernel 0", "result 0", "overlap"}},
    {"variable that is read as a parameter",
     [](auto &m) { m.entry().buffers[1]->index = 1; },
     {"buffer 1", "blob 1 ('b') is that of variable 0"}},
    {"two variables with the same bytes",
     [](auto &m) {
       m.variant().variables.push_back(
           std::make_unique<VariableT>(*m.variant().variables[0]));
     },
     {"variable 1", "blob 1 ('b') is that of variable 0 too"}},
    {"variable without a blob",
     [](auto &m) { m.variant().variables[0]->blob = 2; },
     {"variable 0", "starts as blob 2; the artifact has 2"}},
    {"variable that starts as code",
     [](auto &m) { m.model.blobs[1]->type.reset(); },
     {"variable 0", "blob 1 ('b') is not a tensor"}},
    {"variable on a missing device",
     [](auto &m) { m.variant().variables[0]->device = 2; },
     {"variable 0", "device 2; the variant has 2"}},
    {"variable in another space than its device",
     [](auto &m) { m.variant().variables[0]->device = 0; },
     {"buffer 4", "in space 2, its variable 0 in space 0 of device 0"}},
    {"bucket without a name",
     [](auto &m) { m.makeBucket().name.clear(); },
     {"variable 0", "empty"}},
    {"bucket of a missing blob",
     [](auto &m) {
       m.makeBucket().parts[1] = {3, 32};
     },
     {"variable 0", "part 1", "starts as blob 3; the artifact has 3"}},
    {"bucket of code",
     [](auto &m) {
       m.makeBucket();
       m.model.blobs[2]->type.reset();
     },
     {"variable 0", "part 1", "blob 2 ('c') is not a tensor"}},
    {"bucket with a part twice",
     [](auto &m) {
       m.makeBucket().parts[1] = {1, 32};
     },
     {"part 1", "blob 1 ('b') is that of variable 0 too"}},
    {"bucket with parts over each other",
     [](auto &m) {
       m.makeBucket().parts[1] = {2, 28};
     },
     {"part 1", "begins at byte 28", "behind byte 32"}},
    {"bucket with a large gap",
     [](auto &m) {
       m.makeBucket().parts[0] = {1, 256};
     },
     {"part 0", "begins at byte 256; expected less than 256 bytes behind"}},
    {"bucket with more bytes than its parts",
     [](auto &m) { m.makeBucket(256); },
     {"variable 0", "it has 292 bytes", "than the 36"}},
    {"bucket with fewer bytes than its parts",
     [](auto &m) { m.makeBucket().bytes = 35; },
     {"variable 0", "it has 35 bytes", "than the 36"}},
    {"bucket of more than all bytes",
     [](auto &m) {
       m.makeBucket().parts[1] = {2, UINT64_MAX - 2};
     },
     {"part 1", "begins at byte"}},
    {"bucket on a missing device",
     [](auto &m) { m.makeBucket().device = 2; },
     {"variable 0", "device 2; the variant has 2"}},
    {"part of a bucket that is read as a parameter",
     [](auto &m) {
       m.makeBucket();
       m.entry().buffers[1]->index = 2;
     },
     {"buffer 1", "blob 2 ('c') is that of variable 0"}},
    {"buffer that is a part of a bucket",
     [](auto &m) {
       m.makeBucket();
       m.entry().buffers[4]->bytes = 16;
     },
     {"buffer 4", "bucket 'all' has 48 bytes at offset 0"}},
    {"no run in flight",
     [](auto &m) { m.variant().frames = 0; },
     {"variant 0", "0 runs in flight; expected 1 to 256"}},
    {"too many runs in flight",
     [](auto &m) { m.variant().frames = 257; },
     {"257 runs in flight"}},
    {"two entries that take the same inputs",
     [](auto &m) {
       m.variant().entries.push_back(std::make_unique<EntryT>(m.entry()));
     },
     {"entry 'main'", "inputs of the same shapes"}},
    {"input in the memory of a device that has none",
     [](auto &m) { m.entry().inputs[0]->space = 1; },
     {"input 0", "space 1, but device 0 has no memory of its own"}},
    {"output in the memory of a missing device",
     [](auto &m) { m.entry().outputs[0]->space = 3; },
     {"output 0", "space 3; the variant has 2 devices"}},
    {"output buffer in another space than the output",
     [](auto &m) { m.entry().outputs[0]->space = 0; },
     {"buffer 5", "in space 2, output 0 in space 0"}},
    {"overwriting said of too many results",
     [](auto &m) {
       m.kernel(1).overwrites = {0, 0};
     },
     {"kernel 1", "says for 2 results what they overwrite; it has 1"}},
    {"overwriting of a missing operand",
     [](auto &m) { m.kernel(1).overwrites = {2}; },
     {"kernel 1", "result 0 overwrites operand 2; the kernel has 2"}},
    {"overwriting of an operand of another shape",
     [](auto &m) { m.kernel(1).overwrites = {1}; },
     {"kernel 1", "operand 1, which has another type or other strides"}},
    {"unknown element type",
     [](auto &m) {
       m.kernel(0).operands[0]->element_type = static_cast<ElementType>(13);
     },
     {"element type 13"}},
    {"post-op reads a missing operand",
     [](auto &m) { m.kernel(0).post_ops[0]->operand = 2; },
     {"post-op 0", "operand 2"}},
    {"attribute of two kinds",
     [](auto &m) { m.kernel(1).attributes[0]->ints = {1}; },
     {"attribute 0", "not of its kind"}},
    {"attribute of an unknown kind",
     [](auto &m) {
       m.kernel(1).attributes[0]->kind = static_cast<AttributeKind>(7);
     },
     {"unknown kind 7"}},
    {"port that is not row-major",
     [](auto &m) {
       m.entry().inputs[0]->type->strides = {1, 2};
     },
     {"input 0", "not row-major"}},
    {"arena on a missing device",
     [](auto &m) { m.entry().arenas[0]->device = 2; },
     {"arena 0", "device 2"}},
    {"arena below its bound",
     [](auto &m) { m.entry().arenas[0]->lower_bound = 1000; },
     {"arena 0", "lower bound of 1000"}},
    {"arena with bytes for no buffer",
     [](auto &m) { m.entry().arenas[1]->bytes = 257; },
     {"arena 1 has 257 bytes", "its buffers need 256"}},
    {"buffer in the memory of a missing device",
     [](auto &m) { m.entry().buffers[0]->space = 9; },
     {"buffer 0", "space 9; the variant has 2 devices"}},
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
     [](auto &m) { m.entry().buffers[2]->index = 3; },
     {"buffer 2", "arena 3"}},
    {"buffer behind its arena",
     [](auto &m) { m.entry().buffers[2]->offset = 128; },
     {"buffer 2", "outside arena 0"}},
    {"buffer whose end overflows",
     [](auto &m) { m.entry().buffers[2]->bytes = UINT64_MAX; },
     {"buffer 2", "outside arena 0"}},
    {"unaligned buffer",
     [](auto &m) { m.entry().buffers[2]->offset = 32; },
     {"buffer 2", "multiple of 64"}},
    {"buffer and arena in two spaces",
     [](auto &m) { m.entry().buffers[2]->space = 2; },
     {"buffer 2", "in space 2, its arena 0 in space 0 of device 0"}},
    {"output without a buffer",
     [](auto &m) {
       m.entry().buffers[5] = std::make_unique<BufferT>(*m.entry().buffers[3]);
     },
     {"output 0 ('y')", "no buffer"}},
};
} // namespace

// Every broken rule is refused by a message that says where and what; unbroken,
// the model is accepted.
TEST(VerifierTest, refusesEachBrokenRule) { expectRefused(brokenRules); }

// Entries of one name may differ in the shapes of their inputs.
TEST(VerifierTest, acceptsShapesOfAnEntry) {
  SmallModel small;
  small.variant().entries.push_back(std::make_unique<EntryT>(small.entry()));
  small.variant().entries[1]->inputs[0]->type->dims = {6, 1};
  small.variant().entries[1]->inputs[0]->type->strides = {1, 1};
  EXPECT_EQ(refusal(small), "");
}

// An operand may repeat an element, as a broadcast does, and a tensor may be
// empty.
TEST(VerifierTest, acceptsBroadcastsAndEmptyTensors) {
  SmallModel small;
  small.kernel(1).operands[1]->dims = {2, 4};
  small.kernel(1).operands[1]->strides = {0, 1};
  small.kernel(0).operands[0]->dims = {2, 0};
  EXPECT_EQ(refusal(small), "");
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
