//===- CudnnPlanTest.cpp - Plans of cuDNN for a GPU that is not there -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What a kernel's check accepts, cuDNN must have an engine for. These tests let
// cuDNN make the plans for an H100. They cannot run them.
//
//===----------------------------------------------------------------------===//

#include "CudnnPlan.h"
#include "CudnnAttention.h"
#include "CudnnConvolution.h"
#include "CudnnKernels.h"
#include "CudnnLibrary.h"
#include "CudnnPostOps.h"
#include "CudnnSpecs.h"
#include "H100Plans.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

class CudnnPlans : public testing::Test {
protected:
  void SetUp() override {
    if (const Status status = openForPlans(); !status.isOk())
      GTEST_SKIP() << status.message();
  }

  /// The plan of a kernel for an H100.
  static std::unique_ptr<CudnnPlan> plan(const KernelSpec &spec) {
    StatusOr<CudnnGraph> graph = describeForCudnn(spec);
    EXPECT_TRUE(graph.isOk()) << graph.status().message();
    if (!graph.isOk())
      return nullptr;
    auto made = planForH100(*graph);
    EXPECT_TRUE(made.isOk()) << made.status().message() << "\n"
                             << graph->toString();
    return made.isOk() ? *std::move(made) : nullptr;
  }

  /// An engine at hand computes `spec`, so that nothing is compiled at load.
  static void expectReadyPlan(const KernelSpec &spec) {
    std::unique_ptr<CudnnPlan> made = plan(spec);
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->isCompiled()) << made->engine();
    EXPECT_LE(made->workspaceBytes(), size_t(32) << 20);
  }
};

/// The convolutions of ResNet-50 that differ, and whether an image is added to
/// them.
struct Layer {
  int64_t from, to, cells, window, stride;
  bool isAdded;
};
constexpr Layer resnet50[] = {
    {3, 64, 224, 7, 2, false},    {64, 64, 56, 1, 1, false},
    {64, 64, 56, 3, 1, false},    {64, 256, 56, 1, 1, true},
    {64, 256, 56, 1, 1, false},   {256, 64, 56, 1, 1, false},
    {256, 128, 56, 1, 1, false},  {128, 128, 56, 3, 2, false},
    {128, 512, 28, 1, 1, true},   {256, 512, 56, 1, 2, false},
    {512, 128, 28, 1, 1, false},  {128, 128, 28, 3, 1, false},
    {512, 256, 28, 1, 1, false},  {256, 256, 28, 3, 2, false},
    {256, 1024, 14, 1, 1, true},  {512, 1024, 28, 1, 2, false},
    {1024, 256, 14, 1, 1, false}, {256, 256, 14, 3, 1, false},
    {1024, 512, 14, 1, 1, false}, {512, 512, 14, 3, 2, false},
    {512, 2048, 7, 1, 1, true},   {1024, 2048, 14, 1, 2, false},
    {2048, 512, 7, 1, 1, false},  {512, 512, 7, 3, 1, false}};

std::string describe(const Layer &layer, DType type) {
  return fmt::format("{} to {}, {}", layer.from, layer.to, toString(type));
}

ConvCase caseOf(const Layer &layer) {
  const int64_t pad = layer.window / 2, cells = layer.cells / layer.stride;
  return {{1, layer.from, layer.cells, layer.cells},
          {layer.to, layer.from, layer.window, layer.window},
          {1, layer.to, cells, cells},
          {layer.stride, layer.stride},
          {pad, pad, pad, pad}};
}

// Bias, residual add and ReLU are part of the convolution in all types.
TEST_F(CudnnPlans, FuseAllOfResNet50) {
  for (DType type : {DType::F32, DType::BF16, DType::F16})
    for (const Layer &layer : resnet50) {
      KernelSpec spec = makeSpec(caseOf(layer), type);
      if (layer.isAdded)
        addPostOpOf(spec, "binary_add", spec.results[0].dims);
      addPostOp(spec, "eltwise_relu");
      SCOPED_TRACE(describe(layer, type));
      expectReadyPlan(spec);
    }
}

// Every post-op that the check accepts in 16 bits has an engine.
TEST_F(CudnnPlans, TakePostOpsIn16Bits) {
  const PostOp postOps[] = {
      {"eltwise_abs"},          {"eltwise_clip", 0, 6},
      {"eltwise_elu", 1},       {"eltwise_exp"},
      {"eltwise_gelu_erf"},     {"eltwise_hardsigmoid", 0.2, 0.5},
      {"eltwise_linear", 2, 1}, {"eltwise_hardswish", 1 / 6.0, 0.5},
      {"eltwise_log"},          {"eltwise_logistic"},
      {"eltwise_mish"},         {"eltwise_relu", 0.1},
      {"eltwise_soft_relu", 1}, {"eltwise_sqrt"},
      {"eltwise_swish", 1},     {"eltwise_tanh"}};
  const ConvCase conv = {
      {1, 16, 14, 14}, {24, 16, 3, 3}, {1, 24, 14, 14}, {}, {1, 1, 1, 1}};
  for (const PostOp &postOp : postOps) {
    SCOPED_TRACE(postOp.algorithm);
    KernelSpec spec = makeSpec(conv, DType::BF16);
    spec.postOps.push_back(postOp);
    EXPECT_TRUE(plan(spec));
  }
  for (const char *algorithm : {"binary_add", "binary_div", "binary_max",
                                "binary_min", "binary_mul", "binary_sub"}) {
    SCOPED_TRACE(algorithm);
    KernelSpec spec = makeSpec(conv, DType::BF16);
    addPostOpOf(spec, algorithm, {1, 24, 14, 14});
    addPostOpOf(spec, algorithm, {24, 1, 1});
    addPostOpOf(spec, algorithm, {});
    EXPECT_TRUE(plan(spec));
  }
}

// So it is with a bias of f32, which convolutions in 16 bits mostly have.
TEST_F(CudnnPlans, HaveAnEngineForBiasesOfF32) {
  KernelSpec spec = makeSpec(
      {{1, 64, 14, 14}, {64, 64, 3, 3}, {1, 64, 14, 14}, {}, {1, 1, 1, 1}},
      DType::BF16);
  spec.operands[2].type = DType::F32;
  std::unique_ptr<CudnnPlan> made = plan(spec);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->isCompiled()) << made->engine();
  addPostOp(spec, "eltwise_swish", 1);
  made = plan(spec);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->isCompiled()) << made->engine();
}

/// The specs of `conv` in `type` with a result of f32: each set of a bias,
/// residuals and ReLU.
std::vector<KernelSpec> widened(ConvCase conv, DType type) {
  std::vector<KernelSpec> specs;
  for (const std::optional<DType> bias :
       {std::optional<DType>(), std::optional(type), std::optional(DType::F32)})
    for (const std::optional<DType> residual :
         {std::optional<DType>(), std::optional(type),
          std::optional(DType::F32)})
      for (bool hasRelu : {false, true}) {
        conv.hasBias = bias.has_value();
        KernelSpec spec = makeSpec(conv, type);
        spec.results[0].type = DType::F32;
        if (bias)
          spec.operands[2].type = *bias;
        if (residual) {
          addPostOpOf(spec, "binary_add", conv.result);
          spec.operands.back().type = *residual;
        }
        if (hasRelu)
          addPostOp(spec, "eltwise_relu");
        specs.push_back(std::move(spec));
      }
  return specs;
}

// Results of f32 behind 16 bits, also of odd numbers of channels.
TEST_F(CudnnPlans, WidenResults) {
  const ConvCase even = {{1, 16, 6, 6}, {24, 16, 1, 1}, {1, 24, 6, 6}};
  const ConvCase odd = {{1, 3, 6, 6}, {7, 3, 1, 1}, {1, 7, 6, 6}};
  const ConvCase grouped = {{1, 6, 6, 6}, {9, 2, 3, 3}, {1, 9, 6, 6},
                            {},           {1, 1, 1, 1}, 3};
  for (DType type : {DType::BF16, DType::F16})
    for (const ConvCase &conv : {even, odd, grouped}) {
      std::vector<KernelSpec> specs = widened(conv, type);
      // Some of all, since cuDNN compiles each.
      if (conv.weights != odd.weights)
        specs = {specs.front(), specs.back()};
      for (const KernelSpec &spec : specs)
        ASSERT_TRUE(plan(spec));
    }
}

// Transposed convolutions, with the channels that the check accepts.
TEST_F(CudnnPlans, TransposeConvolutions) {
  struct {
    DType type, result;
    int64_t channels, groups;
  } const cases[] = {{DType::BF16, DType::BF16, 6, 1},
                     {DType::BF16, DType::F32, 6, 1},
                     {DType::F16, DType::F32, 6, 1},
                     {DType::F16, DType::F16, 3, 1},
                     {DType::F16, DType::F16, 6, 2}};
  for (const auto &[type, result, channels, groups] : cases) {
    SCOPED_TRACE(fmt::format("{} to {}, {} channels, {} groups", toString(type),
                             toString(result), channels, groups));
    const ConvCase shapes = {{1, 4, 5, 5},
                             {4, channels / groups, 2, 2},
                             {1, channels, 10, 10},
                             {2, 2},
                             {},
                             groups};
    KernelSpec spec = makeSpec(shapes, type);
    spec.name = "conv_transpose";
    spec.results[0].type = result;
    spec.operands[2].type = DType::F32;
    addPostOp(spec, "eltwise_relu");
    EXPECT_TRUE(plan(spec));
  }
}

// Weights that a run computes or changes are row-major.
TEST_F(CudnnPlans, TakeRowMajorWeights) {
  const ConvCase cases[] = {
      {{2, 8, 9, 9}, {12, 8, 3, 3}, {2, 12, 5, 5}, {2, 2}, {1, 1, 1, 1}},
      {{2, 8, 9, 9}, {12, 4, 3, 3}, {2, 12, 9, 9}, {}, {1, 1, 1, 1}, 2},
      {{2, 3, 9, 9}, {7, 3, 3, 3}, {2, 7, 9, 9}, {}, {1, 1, 1, 1}},
      {{2, 8, 20}, {12, 8, 3}, {2, 12, 20}, {}, {1, 1}},
      {{1, 4, 5, 5, 5}, {6, 4, 3, 3, 3}, {1, 6, 3, 3, 3}}};
  for (DType type : {DType::F32, DType::BF16, DType::F16})
    for (const ConvCase &conv : cases) {
      KernelSpec plainest = makeSpec(conv, type);
      plainest.operands.pop_back();
      KernelSpec biased = makeSpec(conv, type), fused = biased;
      addPostOpOf(fused, "binary_add", conv.result);
      addPostOp(fused, "eltwise_relu");
      KernelSpec gradient = plainest;
      gradient.name = "conv_transpose";
      std::swap(gradient.operands[0], gradient.results[0]);
      for (const KernelSpec &spec : {plainest, biased, fused, gradient}) {
        StatusOr<CudnnGraph> graph = describeForCudnn(spec);
        ASSERT_TRUE(graph.isOk()) << graph.status().message();
        graph->tensors[1].desc = withTwoSpatialDims(spec.operands[1]);
        auto made = planForH100(*graph);
        EXPECT_TRUE(made.isOk()) << made.status().message() << "\n"
                                 << graph->toString();
      }
    }
}

// All of ResNet-50, in both layouts of the weights.
TEST_F(CudnnPlans, ComputeGradientsOfWeights) {
  for (DType type : {DType::F32, DType::BF16, DType::F16})
    for (const Layer &layer : resnet50)
      for (bool isChannelsLast : {false, true}) {
        KernelSpec spec = weightGradientSpec(caseOf(layer), type);
        if (isChannelsLast)
          spec.results[0] = imageOf(type, spec.results[0].dims);
        SCOPED_TRACE(describe(layer, type));
        expectReadyPlan(spec);
      }
}

// What is at the limits of the check has an engine, whatever the layouts.
TEST_F(CudnnPlans, ComputeOddGradientsOfWeights) {
  const ConvCase cases[] = {
      // Odd channels, pads at one end, and one and three spatial dims.
      {{2, 3, 7, 8}, {7, 3, 3, 2}, {2, 7, 3, 4}, {2, 2}, {1, 0, 0, 0}},
      {{2, 5, 11}, {3, 5, 3}, {2, 3, 11}, {}, {1, 1}},
      {{1, 3, 5, 6, 4}, {5, 3, 3, 1, 2}, {1, 5, 3, 6, 3}},
      // Groups, and single channels.
      {{1, 6, 6, 6}, {9, 2, 3, 3}, {1, 9, 6, 6}, {}, {1, 1, 1, 1}, 3},
      {{2, 5, 9, 9}, {5, 1, 3, 3}, {2, 5, 5, 5}, {2, 2}, {1, 1, 1, 1}, 5},
      {{2, 32, 9, 9}, {32, 1, 5, 5}, {2, 32, 5, 5}, {2, 2}, {2, 2, 2, 2}, 32},
      {{2, 5, 9, 9}, {10, 1, 3, 1}, {2, 10, 3, 9}, {3, 1}, {}, 5},
      {{1, 37, 3, 9}, {37, 1, 2, 4}, {1, 37, 2, 6}, {}, {}, 37},
      {{2, 7, 9}, {7, 1, 4}, {2, 7, 6}, {}, {}, 7}};
  const auto layOut = [](TensorDesc &desc, bool isChannelsLast) {
    desc = isChannelsLast ? imageOf(desc.type, desc.dims)
                          : TensorDesc::rowMajor(desc.type, desc.dims);
  };
  for (DType type : {DType::F32, DType::BF16, DType::F16})
    for (const ConvCase &conv : cases)
      for (unsigned layouts = 0; layouts < 8; ++layouts) {
        KernelSpec spec = weightGradientSpec(conv, type);
        layOut(spec.operands[0], layouts & 1);
        layOut(spec.operands[1], layouts & 2);
        layOut(spec.results[0], layouts & 4);
        ASSERT_TRUE(plan(spec));
      }
}

// The networks' attention, and what is at the limits of the check.
TEST_F(CudnnPlans, ComputeAttention) {
  struct {
    std::vector<int64_t> dims;
    int64_t keys, keyHeads;
    std::vector<int64_t> mask;
    const char *causal;
  } const cases[] = {
      // BERT-base, MiniLM and GPT-2.
      {{1, 12, 128, 64}, 128, 12, {1, 1, 1, 128}, ""},
      {{8, 12, 384, 64}, 384, 12, {8, 1, 1, 384}, ""},
      {{1, 12, 256, 32}, 256, 12, {1, 1, 1, 256}, ""},
      {{1, 12, 1024, 64}, 1024, 12, {}, "top_left"},
      // Others.
      {{2, 3, 37, 8}, 77, 3, {}, ""},
      {{2, 3, 37, 72}, 77, 3, {3, 37, 77}, ""},
      {{2, 3, 37, 128}, 77, 1, {77}, ""},
      {{2, 3, 37, 128}, 77, 3, {}, "top_left"},
      {{2, 3, 77, 40}, 37, 3, {}, "top_left"},
      {{2, 3, 37, 64}, 77, 3, {}, "bottom_right"},
      {{2, 3, 1, 64}, 77, 3, {1, 1, 1, 77}, ""},
      {{2, 3, 1, 64}, 1, 3, {}, ""},
      {{65535, 1, 2, 16}, 2, 1, {}, "top_left"},
  };
  DType type = DType::BF16;
  for (const auto &[dims, keys, keyHeads, mask, causal] : cases) {
    // In turn, since cuDNN compiles each.
    type = type == DType::BF16 ? DType::F16 : DType::BF16;
    KernelSpec spec = attentionSpec(dims, type);
    spec.operands[1] = spec.operands[2] =
        attentionSpec({dims[0], keyHeads, keys, dims[3]}, type).operands[0];
    if (!mask.empty())
      addMask(spec, mask, dims[1] == 3 ? type : DType::F32);
    if (*causal)
      spec.attrs.set("causal", causal);
    SCOPED_TRACE(fmt::format("{} of {}, {} keys {}", toString(type),
                             fmt::join(dims, "x"), keys, causal));
    std::unique_ptr<CudnnPlan> made = plan(spec);
    ASSERT_TRUE(made);
    EXPECT_LE(made->workspaceBytes(), size_t(1) << 20);
  }
}

// Without TF32, cuDNN takes another engine.
TEST_F(CudnnPlans, UseTF32IfTheyMay) {
  StatusOr<CudnnGraph> graph = describeConv(makeSpec(
      {{8, 64, 56, 56}, {64, 64, 3, 3}, {8, 64, 56, 56}, {}, {1, 1, 1, 1}},
      DType::F32));
  ASSERT_TRUE(graph.isOk());
  auto strict = planForH100(*graph);
  graph->allowsTF32 = true;
  auto rounding = planForH100(*graph);
  ASSERT_TRUE(strict.isOk() && rounding.isOk());
  EXPECT_NE((*strict)->engine(), (*rounding)->engine());
}

/// A folder in which plans are kept, as later processes find them.
class PlanFolder {
public:
  PlanFolder()
      : path(fmt::format("{}weir-plans-{}", testing::TempDir(), getpid())) {
    std::filesystem::remove_all(path);
  }
  ~PlanFolder() { std::filesystem::remove_all(path); }

  /// The plan of `graph`, from the folder if it has one.
  std::unique_ptr<CudnnPlan> plan(const CudnnGraph &graph) const {
    auto store = CacheFile::open(path, "test");
    EXPECT_TRUE(store.isOk()) << store.status().message();
    auto made = planForH100(graph, &*store);
    EXPECT_TRUE(made.isOk()) << made.status().message();
    return made.isOk() ? *std::move(made) : nullptr;
  }

private:
  const std::string path;
};

// What cuDNN compiled is kept for later processes.
TEST_F(CudnnPlans, AreKept) {
  const PlanFolder folder;
  KernelSpec spec =
      makeSpec({{1, 8, 8, 8}, {8, 8, 1, 1}, {1, 8, 8, 8}}, DType::BF16);
  addPostOp(spec, "eltwise_swish", 1);
  StatusOr<CudnnGraph> graph = describeConv(spec);
  ASSERT_TRUE(graph.isOk());
  const std::unique_ptr<CudnnPlan> first = folder.plan(*graph),
                                   second = folder.plan(*graph);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->isCompiled());
  EXPECT_FALSE(second->isCompiled());
  EXPECT_EQ(first->engine(), second->engine());
  EXPECT_EQ(first->workspaceBytes(), second->workspaceBytes());
  // Another graph has a plan of its own.
  graph->nodes.back().op = CudnnOp::Tanh;
  const std::unique_ptr<CudnnPlan> other = folder.plan(*graph);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->isCompiled());
}

// The numbers that cuDNN's front end adds, such as the factor of the scores,
// are kept with the plan.
TEST_F(CudnnPlans, AreKeptWithTheirNumbers) {
  const PlanFolder folder;
  KernelSpec spec = attentionSpec({1, 2, 16, 64}, DType::BF16);
  spec.attrs.set("causal", "top_left");
  StatusOr<CudnnGraph> graph = describeAttention(spec);
  ASSERT_TRUE(graph.isOk());
  const std::unique_ptr<CudnnPlan> first = folder.plan(*graph),
                                   second = folder.plan(*graph);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->isCompiled());
  EXPECT_FALSE(second->isCompiled());
  EXPECT_EQ(first->engine(), second->engine());
  for (const CudnnPlan *each : {first.get(), second.get()}) {
    std::vector<uint64_t> numbers = each->addedNumbers();
    std::ranges::sort(numbers);
    // 0.125 and minus infinity.
    EXPECT_EQ(numbers, (std::vector<uint64_t>{0x3e000000, 0xff800000}));
  }
}

// What cuDNN refuses is an error with cuDNN's reason.
TEST_F(CudnnPlans, SayWhyThereIsNone) {
  StatusOr<CudnnGraph> graph = describeConv(
      makeSpec({{1, 8, 8, 8}, {8, 8, 1, 1}, {1, 8, 8, 8}}, DType::BF16));
  ASSERT_TRUE(graph.isOk());
  graph->tensors[1].desc.dims[1] = 7;
  auto made = planForH100(*graph);
  ASSERT_FALSE(made.isOk());
  EXPECT_NE(made.status().message().find(" failed: "), std::string::npos)
      << made.status().message();
  made = CudnnPlan::build(*graph, {.description = "no JSON", .arch = 90});
  ASSERT_FALSE(made.isOk());
  EXPECT_NE(made.status().message().find("describing the GPU failed: "),
            std::string::npos)
      << made.status().message();
}

} // namespace
