//===- CudnnMeaningTest.cpp - What the graphs for cuDNN compute -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Evaluates the graphs as cuDNN's documentation defines them, and compares the
// results with those of the CPU's kernels for the same ops.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"
#include "CudnnPostOps.h"
#include "KernelTester.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace weir;
using namespace weir::test;

namespace {

/// The values of `array` as they lie in memory.
std::vector<double> inMemory(const Array &array, const Dims &strides) {
  std::vector<double> memory(array.values.size());
  forEachIndex(array.dims, [&](const Dims &index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i)
      at += index[i] * strides[i];
    memory[static_cast<size_t>(at)] = array.at(index);
  });
  return memory;
}

class Evaluation {
public:
  Evaluation(const CudnnGraph &graph, std::vector<std::vector<double>> buffers)
      : graph(graph), buffers(std::move(buffers)) {}

  /// The result in row-major order.
  std::vector<double> run() {
    for (const CudnnNode &node : graph.nodes)
      values.emplace(node.output, compute(node));
    return values.at(graph.nodes.back().output).values;
  }

private:
  const Dims &dims(size_t tensor) const {
    return graph.tensors[tensor].desc.dims;
  }

  /// An element of a tensor, which is repeated along dims of size 1.
  double at(size_t tensor, const Dims &index) const {
    const CudnnTensor &from = graph.tensors[tensor];
    if (from.number)
      return *from.number;
    if (const auto known = values.find(tensor); known != values.end())
      return known->second.at(index);
    size_t place = 0;
    for (size_t i = 0; i < index.size(); ++i)
      if (from.desc.dims[i] != 1)
        place += static_cast<size_t>(index[i] * from.desc.strides[i]);
    return buffers.at(*from.buffer).at(place);
  }

  Array compute(const CudnnNode &node) const {
    return computed(dims(node.output), [&](const Dims &index) {
      const auto read = [&](size_t input) {
        return input < node.inputs.size() ? at(node.inputs[input], index) : 0;
      };
      if (node.op == CudnnOp::Conv)
        return convolve(node, index);
      if (node.op == CudnnOp::ConvGradient)
        return spread(node, index);
      if (node.op == CudnnOp::WeightGradient)
        return gather(node, index);
      const double first = read(0), second = read(1);
      switch (node.op) {
      case CudnnOp::Relu:
        return std::max(first, 0.0);
      case CudnnOp::Sigmoid:
        return 1 / (1 + std::exp(-first));
      case CudnnOp::Softplus:
        return std::log1p(std::exp(first));
      case CudnnOp::Swish:
        return first / (1 + std::exp(-first));
      case CudnnOp::Tanh:
        return std::tanh(first);
      case CudnnOp::Add:
        return first + second;
      case CudnnOp::Max:
        return std::max(first, second);
      case CudnnOp::Min:
        return std::min(first, second);
      case CudnnOp::Mul:
        return first * second;
      case CudnnOp::Sub:
        return first - second;
      default:
        ADD_FAILURE() << "no case uses " << toString(node.op);
        return 0.0;
      }
    });
  }

  /// Element `y` of a convolution.
  double convolve(const CudnnNode &node, const Dims &y) const {
    const size_t x = node.inputs[0], w = node.inputs[1];
    const int64_t groups = dims(x)[1] / dims(w)[1];
    const int64_t group = y[1] / (dims(w)[0] / groups);
    double sum = 0;
    forEachIndex(windowOf(w), [&](const Dims &k) {
      Dims from{y[0], group * dims(w)[1] + k[0]}, weight{y[1], k[0]};
      for (size_t i = 0; i + 2 < y.size(); ++i) {
        from.push_back(y[i + 2] * graph.windows.strides[i] -
                       graph.windows.padsBegin[i] +
                       k[i + 1] * graph.windows.dilations[i]);
        weight.push_back(k[i + 1]);
      }
      if (isInside(from, dims(x)))
        sum += at(x, from) * at(w, weight);
    });
    return sum;
  }

  /// Element `x` of the gradient of a convolution for its images: the sum over
  /// all elements of the convolution's result that have read it.
  double spread(const CudnnNode &node, const Dims &x) const {
    const size_t y = node.inputs[0], w = node.inputs[1];
    const int64_t groups = dims(node.output)[1] / dims(w)[1];
    const int64_t inGroup = dims(w)[0] / groups;
    double sum = 0;
    Dims window = windowOf(w);
    window[0] = inGroup;
    forEachIndex(window, [&](const Dims &k) {
      const int64_t channel = x[1] / dims(w)[1] * inGroup + k[0];
      Dims from{x[0], channel}, weight{channel, x[1] % dims(w)[1]};
      for (size_t i = 0; i + 2 < x.size(); ++i) {
        const int64_t cell = x[i + 2] + graph.windows.padsBegin[i] -
                             k[i + 1] * graph.windows.dilations[i];
        from.push_back(cell % graph.windows.strides[i] == 0
                           ? cell / graph.windows.strides[i]
                           : -1);
        weight.push_back(k[i + 1]);
      }
      if (isInside(from, dims(y)))
        sum += at(y, from) * at(w, weight);
    });
    return sum;
  }

  /// Element `k` of the gradient of a convolution for its weights: the sum over
  /// all windows of the gradient times what the window has read with `k`.
  double gather(const CudnnNode &node, const Dims &k) const {
    const size_t y = node.inputs[0], x = node.inputs[1];
    const Dims &weights = dims(node.output);
    const int64_t groups = dims(x)[1] / weights[1];
    Dims positions = dims(y);
    positions[1] = 1;
    double sum = 0;
    forEachIndex(positions, [&](Dims window) {
      window[1] = k[0];
      Dims from{window[0], k[0] / (weights[0] / groups) * weights[1] + k[1]};
      for (size_t i = 0; i + 2 < k.size(); ++i)
        from.push_back(window[i + 2] * graph.windows.strides[i] -
                       graph.windows.padsBegin[i] +
                       k[i + 2] * graph.windows.dilations[i]);
      if (isInside(from, dims(x)))
        sum += at(x, from) * at(y, window);
    });
    return sum;
  }

  /// The channels of a group, and the cells of a window.
  Dims windowOf(size_t w) const { return {dims(w).begin() + 1, dims(w).end()}; }

  static bool isInside(const Dims &index, const Dims &dims) {
    for (size_t i = 0; i < index.size(); ++i)
      if (index[i] < 0 || index[i] >= dims[i])
        return false;
    return true;
  }

  const CudnnGraph &graph;
  std::vector<std::vector<double>> buffers;
  std::map<size_t, Array> values;
};

/// The CPU's kernel, and what the graph of the same op in f16 computes. The
/// result of a convolution is also of f32.
class Comparison {
public:
  explicit Comparison(std::string kernel) : cpu(std::move(kernel)) {}

  KernelTester cpu;

  void add(const TensorDesc &desc, const Array &values) {
    cpu.operand(desc, values);
    note(desc, values);
  }
  void addPostOp(const std::string &algorithm, const TensorDesc &desc,
                 const Array &values) {
    cpu.postOp(algorithm, desc, values);
    note(desc, values);
  }

  void compare() {
    const std::vector<double> expected = cpu.run().values;
    KernelSpec spec = cpu.spec;
    for (auto *list : {&spec.operands, &spec.results})
      for (TensorDesc &desc : *list)
        desc.type = DType::F16;
    compare(spec, expected);
    if (spec.name != "conv")
      return;
    spec.results[0].type = DType::F32;
    compare(spec, expected);
  }

private:
  void compare(const KernelSpec &spec,
               const std::vector<double> &expected) const {
    StatusOr<CudnnGraph> graph = describeForCudnn(spec);
    ASSERT_TRUE(graph.isOk()) << graph.status().message();
    const std::vector<double> found = Evaluation(*graph, buffers).run();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-4) << i << graph->toString();
  }

  void note(const TensorDesc &desc, const Array &values) {
    // Weights are packed at load.
    const bool isWeights =
        buffers.size() == 1 && cpu.spec.name != "conv_weight_gradient";
    buffers.push_back(inMemory(
        values, isWeights ? weir::channelsLast(desc).strides : desc.strides));
  }

  std::vector<std::vector<double>> buffers;
};

struct Shapes {
  Dims images, weights, result;
  Dims strides = {}, pads = {}, dilations = {};
  int64_t groups = 1;
};

void compare(const char *kernel, const Shapes &shapes) {
  const DType type = DType::F32;
  Comparison both(kernel);
  both.cpu.attr("strides", shapes.strides);
  both.cpu.attr("pads", shapes.pads);
  both.cpu.attr("dilations", shapes.dilations);
  both.cpu.attr("groups", Dims{shapes.groups});
  both.add(test::channelsLast(type, shapes.images), patterned(shapes.images));
  both.add(test::rowMajor(type, shapes.weights), patterned(shapes.weights, 2));
  const int64_t channels = shapes.result[1];
  both.add(test::rowMajor(type, {channels}), patterned({channels}, 3));
  both.cpu.result(test::channelsLast(type, shapes.result));
  both.addPostOp("binary_add", test::channelsLast(type, shapes.result),
                 patterned(shapes.result, 4));
  both.cpu.postOp("eltwise_clip", -0.5, 1.5);
  const Dims perChannel{channels, 1, 1};
  if (shapes.result.size() == 4)
    both.addPostOp("binary_mul", test::rowMajor(type, perChannel),
                   patterned(perChannel, 5));
  both.addPostOp("binary_sub", test::rowMajor(type, {1}), patterned({1}, 6));
  both.cpu.postOp("eltwise_hardswish", 1 / 6.0, 0.5);
  both.cpu.postOp("eltwise_relu", 0.25, 0);
  both.cpu.postOp("eltwise_mish", 0, 0);
  both.cpu.postOp("eltwise_linear", 2, 0.5);
  both.cpu.postOp("eltwise_swish", 1, 0);
  both.cpu.postOp("eltwise_logistic", 0, 0);
  both.compare();
}

// Strides, pads at either end, dilations and groups, in 1 to 3 dims.
TEST(CudnnMeaning, ConvolutionsAreThoseOfTheCpu) {
  compare("conv", {{2, 4, 7, 6}, {6, 4, 3, 2}, {2, 6, 7, 6}, {}, {1, 0, 1, 1}});
  compare("conv", {{1, 4, 9, 8},
                   {6, 2, 3, 3},
                   {1, 6, 4, 3},
                   {2, 3},
                   {0, 1, 1, 2},
                   {1, 2},
                   2});
  compare("conv", {{2, 3, 11}, {5, 3, 3}, {2, 5, 4}, {2}, {0, 1}, {2}});
  compare("conv", {{1, 2, 4, 5, 6},
                   {3, 2, 2, 3, 1},
                   {1, 3, 3, 5, 3},
                   {1, 1, 2},
                   {0, 1, 0, 0, 1, 0}});
}

TEST(CudnnMeaning, TransposedConvolutionsAreThoseOfTheCpu) {
  compare("conv_transpose",
          {{1, 4, 3, 4}, {4, 3, 2, 3}, {1, 3, 6, 7}, {2, 2}, {0, 1, 0, 1}});
  compare(
      "conv_transpose",
      {{2, 4, 4, 3}, {4, 3, 3, 2}, {2, 6, 7, 6}, {2, 2}, {1, 0, 1, 0}, {}, 2});
  compare("conv_transpose", {{1, 2, 5}, {2, 3, 3}, {1, 3, 10}, {2}, {1, 0}});
}

void compareWeightGradient(const Shapes &shapes, bool isChannelsLast) {
  const DType type = DType::F32;
  Comparison both("conv_weight_gradient");
  both.cpu.attr("strides", shapes.strides);
  both.cpu.attr("pads", shapes.pads);
  both.cpu.attr("dilations", shapes.dilations);
  both.cpu.attr("groups", Dims{shapes.groups});
  both.add(inLayout(isChannelsLast, type, shapes.images),
           patterned(shapes.images));
  both.add(inLayout(isChannelsLast, type, shapes.result),
           patterned(shapes.result, 2));
  both.cpu.result(test::rowMajor(type, shapes.weights));
  both.compare();
}

TEST(CudnnMeaning, GradientsOfWeightsAreThoseOfTheCpu) {
  for (bool isChannelsLast : {false, true}) {
    compareWeightGradient(
        {{2, 4, 7, 6}, {6, 4, 3, 2}, {2, 6, 7, 6}, {}, {1, 0, 1, 1}},
        isChannelsLast);
    compareWeightGradient({{2, 4, 9, 8},
                           {6, 2, 3, 3},
                           {2, 6, 4, 3},
                           {2, 3},
                           {0, 1, 1, 2},
                           {1, 2},
                           2},
                          isChannelsLast);
    compareWeightGradient({{2, 3, 11}, {5, 3, 3}, {2, 5, 4}, {2}, {0, 1}, {2}},
                          isChannelsLast);
    compareWeightGradient({{1, 2, 4, 5, 6},
                           {3, 2, 2, 3, 1},
                           {1, 3, 3, 5, 3},
                           {1, 1, 2},
                           {0, 1, 0, 0, 1, 0}},
                          isChannelsLast);
    // Single channels, of which each makes two.
    compareWeightGradient(
        {{2, 3, 5, 5}, {6, 1, 3, 3}, {2, 6, 3, 3}, {2, 2}, {1, 1, 1, 1}, {}, 3},
        isChannelsLast);
  }
}

} // namespace
