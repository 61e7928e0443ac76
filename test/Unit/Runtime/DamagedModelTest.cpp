//===- DamagedModelTest.cpp - Damaged models with valid checksums ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A checksum detects accidents, not mistakes of the writer. What the verifier
// accepts must be refused by the kernels, or run.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Writer.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/IndexCheckAttrs.h"
#include "weir/Support/Random.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

using Dims = std::vector<int64_t>;

struct Model {
  const char *kernel;
  std::vector<Dims> operands;
  Dims result;
  AttrMap attrs;
  /// A type of as many bytes as f32.
  DType dtype = DType::F32;
};

std::unique_ptr<artifact::TensorTypeT> type(const Dims &dims, DType dtype) {
  return artifact::fromTensorDesc(TensorDesc::rowMajor(dtype, dims));
}

int64_t size(const Dims &dims) {
  return TensorDesc::rowMajor(DType::F32, dims).numElements();
}

/// An artifact whose one launch is that of `model`.
std::vector<std::byte> serialized(const Model &model) {
  PlanBuilder plan;
  plan.device("cpu:0");
  std::vector<uint32_t> operands;
  for (const Dims &dims : model.operands) {
    const auto letter = static_cast<char>('a' + operands.size());
    operands.push_back(plan.input(std::string(1, letter), size(dims)));
  }
  const uint32_t y = plan.output("y", size(model.result));
  plan.on(0).launch("op", model.kernel, operands, {y}, model.attrs);
  artifact::KernelT &kernel = *plan.variant().kernels[0];
  for (size_t i = 0; i < model.operands.size(); ++i)
    kernel.operands[i] = type(model.operands[i], model.dtype);
  kernel.results[0] = type(model.result, model.dtype);
  return *artifact::toBytes(plan.model(), {});
}

/// Changes a few bytes of the model behind the header, and the checksum.
void damage(std::vector<std::byte> &file, SplitMix64 &random) {
  constexpr uint8_t usual[] = {0, 1, 2, 3, 5, 7, 8, 64, 128, 255};
  for (uint64_t i = 0, count = 1 + random.next() % 3; i < count; ++i) {
    std::byte &byte =
        file[sizeof(artifact::FileHeader) +
             random.next() % (file.size() - sizeof(artifact::FileHeader))];
    const uint64_t choice = random.next();
    if (choice % 2)
      byte = std::byte(usual[choice / 2 % std::size(usual)]);
    else
      byte ^= std::byte(1 << choice / 2 % 8);
  }
  artifact::FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  Checksum checksum;
  checksum.update(std::span(file)
                      .first(artifact::checksumEnd(header, file.size()))
                      .subspan(artifact::checksumBegin));
  const uint64_t value = checksum.value();
  std::memcpy(file.data() + offsetof(artifact::FileHeader, checksum), &value,
              sizeof(value));
}

/// Loads and runs what is left of a model. Every outcome but a crash is fine.
/// Returns whether it ran.
bool tryToRun(std::span<const std::byte> file) {
  auto session = Session::load(file);
  if (!session)
    return false;
  std::vector<HostTensor> inputs;
  for (const TensorInfo &info : (*session)->inputs()) {
    auto input = HostTensor::zeros(info.desc.type, info.desc.dims);
    if (!input)
      return false;
    inputs.push_back(*std::move(input));
  }
  return (*session)->run(inputs).isOk();
}

AttrMap windows() {
  AttrMap attrs;
  attrs.set("kernel_shape", Dims{2, 2});
  attrs.set("dilations", Dims{1, 1});
  attrs.set("strides", Dims{1, 1});
  attrs.set("pads", Dims{0, 0, 0, 0});
  return attrs;
}

AttrMap reference() {
  AttrMap attrs;
  attrs.set("spec", std::string("mk,kn->mn"));
  attrs.set("expression", std::string("a*b"));
  attrs.set("combiner", std::string("sum"));
  return attrs;
}

/// A copy of checked indices, with a range for each column.
AttrMap checked() {
  AttrMap attrs;
  attrs.set("spec", std::string("[x]->[x]"));
  attrs.set("expression", std::string("a"));
  attrs.set("combiner", std::string("none"));
  attrs.set(std::string(indexChecksAttr), Dims{0, 2, 5, 7});
  attrs.set(std::string(indexOpsAttr), std::string("op"));
  return attrs;
}

// No damage ends the process or hangs it, and some damages are harmless.
TEST(DamagedModel, IsRefusedOrRuns) {
  const Model models[] = {
      {"max_pool", {{1, 2, 8, 8}}, {1, 2, 7, 7}, windows()},
      {"average_pool", {{1, 2, 8, 8}}, {1, 2, 7, 7}, windows()},
      {"linear", {{2, 4}, {3, 4}, {3}}, {2, 3}, {}},
      {"reorder", {{2, 3}}, {2, 3}, {}},
      {"reference", {{2, 3}, {3, 4}}, {2, 4}, reference()},
      {"reference", {{3, 2}}, {3, 2}, checked(), DType::I32}};
  for (const Model &model : models) {
    SCOPED_TRACE(model.kernel);
    const std::vector<std::byte> whole = serialized(model);
    EXPECT_TRUE(tryToRun(whole));
    SplitMix64 random(1);
    int numRun = 0;
    constexpr int numDamaged = 400;
    for (int i = 0; i < numDamaged; ++i) {
      std::vector<std::byte> file = whole;
      damage(file, random);
      numRun += tryToRun(file);
    }
    EXPECT_GT(numRun, 0);
    EXPECT_LT(numRun, numDamaged);
  }
}

} // namespace
