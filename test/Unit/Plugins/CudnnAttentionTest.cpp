//===- CudnnAttentionTest.cpp - Attention as cuDNN computes it ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Evaluates graphs of attention as cuDNN's documentation defines them, and
// compares the results with those of the CPU's kernels, one after the other.
//
//===----------------------------------------------------------------------===//

#include "CudnnAttention.h"
#include "CudnnKernels.h"
#include "CudnnSpecs.h"
#include "KernelTester.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// An element of tensor `tensor` of `graph`, which is repeated along dims of
/// size 1.
double read(const CudnnGraph &graph, size_t tensor, const Dims &index,
            const std::vector<std::vector<double>> &buffers) {
  const CudnnTensor &from = graph.tensors[tensor];
  size_t place = 0;
  for (size_t i = 0; i < index.size(); ++i)
    if (from.desc.dims[i] != 1)
      place += static_cast<size_t>(index[i] * from.desc.strides[i]);
  return buffers.at(*from.buffer).at(place);
}

/// What cuDNN computes, in row-major order.
std::vector<double> evaluate(const CudnnGraph &graph,
                             const std::vector<std::vector<double>> &buffers) {
  const Dims &result = graph.tensors.back().desc.dims;
  const Dims &keys = graph.tensors[1].desc.dims;
  const int64_t shift = graph.attention.causal == CudnnCausal::BottomRight
                            ? keys[2] - result[2]
                            : 0;
  std::vector<double> values;
  forEachIndex(result, [&](const Dims &at) {
    double sum = 0, weighted = 0;
    for (int64_t key = 0; key < keys[2]; ++key) {
      double score = 0;
      for (int64_t i = 0; i < keys[3]; ++i)
        score += read(graph, 0, {at[0], at[1], at[2], i}, buffers) *
                 read(graph, 1, {at[0], at[1], key, i}, buffers);
      score *= graph.attention.scale;
      if (graph.nodes[0].inputs.size() > 3)
        score += read(graph, 3, {at[0], at[1], at[2], key}, buffers);
      if (graph.attention.causal != CudnnCausal::None && key > at[2] + shift)
        continue;
      sum += std::exp(score);
      weighted +=
          std::exp(score) * read(graph, 2, {at[0], at[1], key, at[3]}, buffers);
    }
    values.push_back(weighted / sum);
  });
  return values;
}

/// A tensor with batch, heads, rows and columns; in memory, heads may be inside
/// of rows.
struct Operand {
  TensorDesc desc;
  Array values;
  std::vector<double> memory;

  Operand(DType type, Dims dims, bool hasHeadsInside, int seed)
      : desc(TensorDesc::rowMajor(type, dims)), values(patterned(dims, seed)),
        memory(values.values.size()) {
    if (hasHeadsInside)
      desc.strides = {dims[1] * dims[2] * dims[3], dims[3], dims[1] * dims[3],
                      1};
    forEachIndex(dims, [&](const Dims &index) {
      size_t place = 0;
      for (size_t i = 0; i < index.size(); ++i)
        place += static_cast<size_t>(index[i] * desc.strides[i]);
      memory[place] = values.at(index);
    });
  }
};

struct Sizes {
  int64_t batch, heads, keyHeads, queries, keys, row;
};

/// Compares attention with `mask`, which is added, or the causal one.
void compare(const Sizes &sizes, bool hasHeadsInside, const Dims &mask,
             const std::string &causal) {
  const DType type = DType::F16;
  const Dims scoreDims = {sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  const Operand queries(type,
                        {sizes.batch, sizes.heads, sizes.queries, sizes.row},
                        hasHeadsInside, 1);
  const Dims keyDims = {sizes.batch, sizes.keyHeads, sizes.keys, sizes.row};
  const Operand keys(type, keyDims, hasHeadsInside, 2);
  const Operand values(type, keyDims, hasHeadsInside, 3);
  const double scale = 0.375;
  KernelSpec spec;
  spec.name = "attention";
  spec.operands = {queries.desc, keys.desc, values.desc};
  spec.results = {queries.desc};
  spec.attrs.set("scale", std::vector<double>{scale});
  if (!causal.empty())
    spec.attrs.set("causal", causal);
  std::vector<std::vector<double>> buffers = {queries.memory, keys.memory,
                                              values.memory};
  const Array added = mask.empty() ? Array({1}) : patterned(mask, 4);
  if (!mask.empty()) {
    spec.operands.push_back(TensorDesc::rowMajor(DType::F32, mask));
    buffers.push_back(added.values);
  }
  StatusOr<CudnnGraph> graph = describeAttention(spec);
  ASSERT_TRUE(graph.isOk()) << graph.status().message();
  const std::vector<double> found = evaluate(*graph, buffers);

  KernelTester product("matmul");
  const Dims transposed = {sizes.batch, sizes.keyHeads, sizes.row, sizes.keys};
  product.operand(test::rowMajor(DType::F32, queries.desc.dims),
                  queries.values);
  product.operand(test::rowMajor(DType::F32, transposed),
                  computed(transposed, [&](const Dims &at) {
                    return keys.values.at({at[0], at[1], at[3], at[2]});
                  }));
  product.result(test::rowMajor(DType::F32, scoreDims));
  const Array plain = product.run();
  const int64_t shift =
      causal == "bottom_right" ? sizes.keys - sizes.queries : 0;
  const Array scores = computed(scoreDims, [&](const Dims &at) {
    if (!causal.empty() && at[3] > at[2] + shift)
      return -1e30;
    return plain.at(at) * scale + (mask.empty() ? 0 : added.broadcastAt(at));
  });
  KernelTester softmax("softmax");
  softmax.attr("axis", Dims{3});
  softmax.operand(test::rowMajor(DType::F32, scoreDims), scores);
  softmax.result(test::rowMajor(DType::F32, scoreDims));
  KernelTester mixed("matmul");
  mixed.operand(test::rowMajor(DType::F32, scoreDims), softmax.run());
  mixed.operand(test::rowMajor(DType::F32, keyDims), values.values);
  mixed.result(test::rowMajor(DType::F32, queries.desc.dims));
  const std::vector<double> expected = mixed.run().values;
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-5) << i << graph->toString();
}

TEST(CudnnAttention, IsThatOfTheCpu) {
  for (bool hasHeadsInside : {false, true}) {
    compare({2, 3, 3, 5, 7, 8}, hasHeadsInside, {}, "");
    compare({2, 3, 3, 5, 7, 8}, hasHeadsInside, {2, 1, 1, 7}, "");
    compare({2, 3, 3, 5, 7, 8}, hasHeadsInside, {3, 5, 7}, "");
    compare({2, 3, 1, 5, 7, 16}, hasHeadsInside, {7}, "");
    compare({2, 3, 3, 5, 7, 8}, hasHeadsInside, {}, "top_left");
    compare({2, 3, 3, 7, 5, 8}, hasHeadsInside, {}, "top_left");
    compare({2, 3, 3, 5, 7, 8}, hasHeadsInside, {}, "bottom_right");
  }
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(CudnnAttention, IsOneNode) {
  KernelSpec spec = attentionSpec({1, 12, 128, 64}, DType::BF16);
  addMask(spec, {1, 1, 1, 128}, DType::F32);
  StatusOr<CudnnGraph> graph = describeAttention(spec);
  ASSERT_TRUE(graph.isOk()) << graph.status().message();
  EXPECT_EQ(graph->toString(),
            "%0 = buffer 0: 1x12x128x64xbf16 strides [98304, 64, 768, 1]\n"
            "%1 = buffer 1: 1x12x128x64xbf16 strides [98304, 64, 768, 1]\n"
            "%2 = buffer 2: 1x12x128x64xbf16 strides [98304, 64, 768, 1]\n"
            "%3 = buffer 3: 1x1x1x128xf32\n"
            "%4 = buffer 4: 1x12x128x64xbf16 strides [98304, 64, 768, 1]\n"
            "%4 = attention %0 %1 %2 %3\nscale 0.125\n");
  spec.operands.pop_back();
  spec.attrs.set("causal", "bottom_right");
  EXPECT_NE(describeAttention(spec)->toString().find(
                "scale 0.125, causal to bottom right\n"),
            std::string::npos);
}

/// Why the check refuses attention that `change` has changed.
std::string refusal(const std::function<void(KernelSpec &)> &change) {
  KernelSpec spec = attentionSpec({2, 4, 16, 64}, DType::BF16);
  change(spec);
  return whyNot(spec);
}

// What cuDNN 9.8 does not compute on each GPU from sm_80 on is refused, and so
// is whatever else an artifact may say.
TEST(CudnnAttention, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal([](KernelSpec &) {}), "");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec = attentionSpec({2, 4, 16, 64}, DType::F32);
            }),
            "cuDNN takes attention of bf16 or f16, found f32");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) { spec.results[0].type = DType::F32; }),
      "cuDNN takes queries, keys, values and results of one type, found "
      "bf16 and f32");
  for (int64_t row : {12, 136}) {
    const std::string text = refusal([&](KernelSpec &spec) {
      spec = attentionSpec({1, 2, 16, row}, DType::BF16);
    });
    EXPECT_EQ(text.find("cuDNN takes rows of at most 128 elements, a multiple "
                        "of 8, found 1x2x16x"),
              0U)
        << text;
  }
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.operands[1].strides = {4096, 1024, 1, 16};
            }),
            "cuDNN takes rows that are contiguous and begin at multiples of 8 "
            "elements, found 2x4x16x64xbf16 strides [4096, 1024, 1, 16]");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) {
        spec.operands[1] = TensorDesc::rowMajor(DType::BF16, {2, 2, 16, 64});
      }),
      "cuDNN takes as many batches and heads of queries, keys and values, "
      "or one head of keys and values; found 2x4, 2x2 and 2x4");
  EXPECT_EQ(refusal([&](KernelSpec &spec) {
              spec = attentionSpec({70000, 1, 2, 8}, DType::BF16);
            }),
            "cuDNN takes at most 65535 heads in all batches, found 70000");
}

TEST(CudnnAttention, RefusesOtherMasks) {
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              addMask(spec, {16, 1}, DType::F32);
            }),
            "cuDNN adds a mask with one contiguous number for each key to "
            "scores of 2x4x16x16, found 1x1x16x1xf32");
  EXPECT_EQ(refusal([](KernelSpec &spec) { addMask(spec, {16}, DType::F16); }),
            "cuDNN adds a mask of bf16 or f32 to the scores, found f16");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              addMask(spec, {16}, DType::F32);
              spec.attrs.set("causal", "top_left");
            }),
            "cuDNN takes the causal mask or one that is added");
  EXPECT_EQ(refusal([](KernelSpec &spec) { spec.attrs.set("causal", "no"); }),
            "expected causal to be top_left or bottom_right, found no");
  EXPECT_EQ(refusal([&](KernelSpec &spec) {
              spec = attentionSpec({1, 2, 1, 8}, DType::BF16);
              spec.attrs.set("causal", "top_left");
            }),
            "cuDNN takes a causal mask of two queries or more, and one that "
            "ends bottom right only with as many keys or more; found 1 queries "
            "and 1 keys");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.attrs.set("scale", std::vector<double>{0});
            }),
            "cuDNN takes a factor above 0, found 0");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.operands.resize(2);
            }).find("expected queries, keys, values"),
            0U);
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.operands[0].dims.insert(spec.operands[0].dims.begin(), 1);
              spec.operands[0].strides.insert(spec.operands[0].strides.begin(),
                                              8);
            }).find("cuDNN takes attention of at most 4 dims, found "),
            0U);
}

} // namespace
