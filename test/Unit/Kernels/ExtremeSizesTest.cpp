//===- ExtremeSizesTest.cpp - Sizes that no library expects ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An artifact names the sizes of its kernels, and a model that is counted has
// no memory that would limit them. So launches of sizes at which numbers of 32
// bits overflow, of long windows and of repeated elements, whose operands and
// results fit together, are prepared or refused. None may end the process or
// take for ever.
//
//===----------------------------------------------------------------------===//

#include "../Support/Trials.h"
#include "KernelTester.h"

#include "weir/Runtime/KernelTable.h"
#include "weir/Support/Random.h"
#include "weir/Support/ShapeLimits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

/// Packs nothing, as on a device on which a model is counted.
class CountingContext final : public PrepareContext {
public:
  CountingContext(int threads, bool hasConstants)
      : threads(threads), hasConstants(hasConstants) {}

  int numThreads() const override { return threads; }
  bool isConstant(int) const override { return hasConstants; }
  StatusOr<const void *> packedOperand(int, std::string_view, size_t,
                                       const PackFunction &) override {
    return static_cast<const void *>(this);
  }

private:
  int threads;
  bool hasConstants;
};

/// Draws launches.
class Drawer {
public:
  explicit Drawer(uint64_t seed) : random(SplitMix64::from(seed, 0)) {}

  KernelSpec launch();
  uint64_t below(uint64_t end) { return random.next() % end; }

private:
  bool chance(uint64_t one) { return below(one) == 0; }
  /// A size that is mostly small.
  int64_t size();
  Dims sizes(size_t count);
  /// A tensor in a layout that the library knows, or that repeats a dim.
  TensorDesc tensor(const Dims &dims, DType type, bool mayRepeat = true);
  void operand(const Dims &dims) {
    spec.operands.push_back(tensor(dims, type));
  }
  void result(const Dims &dims) {
    spec.results.push_back(tensor(dims, type, false));
  }
  void postOps();
  void matmul();
  void linear();
  /// Windows of `rank` dims over an image, and the positions that they have.
  struct Drawn {
    Dims cells, kernel, places;
  };
  Drawn windows(size_t rank, bool mayDilate);
  void convolution();
  void pool();
  void globalPool();
  void normalization();
  void rows();
  void pointwise();
  void reduction();
  void ownCode();

  SplitMix64 random;
  DType type = DType::F32;
  KernelSpec spec;
};

/// The product, or a size that no tensor has.
int64_t times(int64_t left, int64_t right) {
  int64_t product;
  return __builtin_mul_overflow(left, right, &product) ? int64_t(1) << 60
                                                       : product;
}

int64_t Drawer::size() {
  static constexpr int64_t small[] = {1, 1, 2, 3, 4, 7, 8, 16, 17, 32, 64, 100};
  static constexpr int64_t large[] = {1000,
                                      4096,
                                      5000,
                                      1 << 15,
                                      65536,
                                      1 << 20,
                                      1 << 24,
                                      1 << 28,
                                      1 << 30,
                                      (1LL << 31) - 1,
                                      1LL << 31,
                                      (1LL << 31) + 8,
                                      (1LL << 32) - 1,
                                      1LL << 32,
                                      1LL << 36,
                                      1LL << 40};
  return chance(4) ? large[below(std::size(large))]
                   : small[below(std::size(small))];
}

Dims Drawer::sizes(size_t count) {
  Dims drawn(count);
  for (int64_t &each : drawn)
    each = size();
  return drawn;
}

/// Whether the reader of artifacts accepts the sizes of `desc`.
bool isAccepted(const TensorDesc &desc) {
  uint64_t bytes = byteSize(desc.type);
  return std::ranges::all_of(desc.dims, [&](int64_t dim) {
    return !__builtin_mul_overflow(bytes, uint64_t(dim), &bytes) &&
           bytes <= maxTensorBytes;
  });
}

TensorDesc Drawer::tensor(const Dims &dims, DType of, bool mayRepeat) {
  // Launches with such sizes are left out.
  if (!isAccepted({of, dims, {}}))
    return {of, dims, Dims(dims.size())};
  TensorDesc desc = dims.size() > 2 && chance(2) ? channelsLast(of, dims)
                                                 : rowMajor(of, dims);
  if (mayRepeat && chance(4))
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i] > 64 || chance(4))
        desc.strides[i] = 0;
  return desc;
}

void Drawer::postOps() {
  if (chance(3))
    spec.postOps.push_back({"eltwise_relu", 0, 0, -1});
  if (!chance(3))
    return;
  spec.postOps.push_back(
      {"binary_add", 0, 0, static_cast<int>(spec.operands.size())});
  operand(spec.results[0].dims);
}

void Drawer::matmul() {
  spec.name = "matmul";
  const Dims batch = sizes(below(3));
  const int64_t m = size(), k = size(), n = size();
  const auto with = [&](int64_t rows, int64_t columns) {
    Dims dims = batch;
    dims.insert(dims.end(), {rows, columns});
    return dims;
  };
  operand(with(m, k));
  operand(with(k, n));
  result(with(m, n));
  postOps();
}

void Drawer::linear() {
  spec.name = "linear";
  Dims rows = sizes(1 + below(2)), from = rows, to = rows;
  const int64_t k = size(), n = size();
  from.push_back(k);
  to.push_back(n);
  operand(from);
  operand({n, k});
  if (chance(2))
    operand({n});
  result(to);
  postOps();
}

Drawer::Drawn Drawer::windows(size_t rank, bool mayDilate) {
  Drawn drawn;
  Dims strides, dilations, begin, end;
  for (size_t i = 0; i < rank; ++i) {
    drawn.kernel.push_back(size());
    strides.push_back(chance(2) ? 1 : size());
    dilations.push_back(mayDilate && chance(3) ? size() : 1);
    begin.push_back(chance(2) ? 0 : size());
    end.push_back(chance(2) ? 0 : size());
    const int64_t extent = times(drawn.kernel[i] - 1, dilations[i]) + 1;
    int64_t cells = chance(2) ? extent + size() : size();
    drawn.cells.push_back(cells);
    const int64_t last = cells + begin[i] + end[i] - extent;
    drawn.places.push_back(std::max<int64_t>(last, 0) / strides[i] + 1);
  }
  begin.insert(begin.end(), end.begin(), end.end());
  spec.attrs.set("strides", strides);
  if (mayDilate)
    spec.attrs.set("dilations", dilations);
  spec.attrs.set("pads", begin);
  return drawn;
}

static Dims behind(std::initializer_list<int64_t> first, const Dims &more) {
  Dims dims = first;
  dims.insert(dims.end(), more.begin(), more.end());
  return dims;
}

void Drawer::convolution() {
  static constexpr const char *names[] = {"conv", "conv_transpose",
                                          "conv_weight_gradient"};
  const uint64_t kind = below(3);
  spec.name = names[kind];
  const Drawn drawn = windows(1 + below(3), true);
  const int64_t images = size(), inputs = size(), outputs = size();
  const int64_t groups = chance(3) ? size() : 1;
  spec.attrs.set("groups", Dims{groups});
  const auto image = [&](int64_t channels, const Dims &cells) {
    return behind({images, times(channels, groups)}, cells);
  };
  const Dims covered = image(inputs, drawn.cells);
  const Dims places = image(outputs, drawn.places);
  const Dims weights = behind({times(outputs, groups), inputs}, drawn.kernel);
  operand(kind == 1 ? places : covered);
  operand(kind == 2 ? places : weights);
  if (kind == 0 && chance(2))
    operand({times(outputs, groups)});
  result(kind == 0 ? places : kind == 1 ? covered : weights);
  postOps();
}

void Drawer::pool() {
  static constexpr const char *names[] = {
      "max_pool", "average_pool", "max_pool_training", "max_pool_gradient"};
  const uint64_t kind = below(4);
  spec.name = names[kind];
  const Drawn drawn = windows(1 + below(3), false);
  spec.attrs.set("kernel_shape", drawn.kernel);
  spec.attrs.set("count_include_pad", Dims{int64_t(below(2))});
  const int64_t images = size(), channels = size();
  const Dims covered = behind({images, channels}, drawn.cells);
  const Dims places = behind({images, channels}, drawn.places);
  const DType taps = chance(2) ? DType::U8 : DType::I32;
  operand(kind == 3 ? places : covered);
  if (kind == 3)
    spec.operands.push_back(tensor(places, taps));
  result(kind == 3 ? covered : places);
  if (kind == 2)
    spec.results.push_back(tensor(places, taps, false));
  if (kind < 2)
    postOps();
}

void Drawer::globalPool() {
  spec.name = chance(2) ? "global_average_pool" : "global_max_pool";
  const Dims cells = sizes(1 + below(3));
  const int64_t images = size(), channels = size();
  operand(behind({images, channels}, cells));
  result(behind({images, channels}, Dims(cells.size(), 1)));
  postOps();
}

void Drawer::normalization() {
  static constexpr const char *names[] = {"batch_norm", "batch_norm_training",
                                          "batch_norm_gradient", "lrn"};
  const uint64_t kind = below(4);
  spec.name = names[kind];
  const Dims dims = sizes(2 + below(4));
  const Dims channels = {dims[1]};
  operand(dims);
  if (kind == 2)
    operand(dims);
  constexpr int numVectors[] = {4, 2, 3, 0};
  for (int i = 0; i < numVectors[kind]; ++i)
    operand(channels);
  result(dims);
  if (kind == 1 || kind == 2) {
    result(channels);
    result(channels);
  }
  if (kind == 3)
    spec.attrs.set("size", Dims{size()});
}

void Drawer::rows() {
  static constexpr const char *names[] = {"softmax", "log_softmax",
                                          "layer_norm"};
  const uint64_t kind = below(3);
  spec.name = names[kind];
  const Dims dims = sizes(1 + below(4));
  const auto axis = static_cast<int64_t>(below(dims.size()));
  operand(dims);
  if (kind == 2) {
    operand({dims.back()});
    operand({dims.back()});
  } else {
    spec.attrs.set("axis", Dims{axis});
  }
  result(dims);
}

void Drawer::pointwise() {
  static constexpr const char *names[] = {"eltwise", "binary", "reorder"};
  const uint64_t kind = below(3);
  spec.name = names[kind];
  static constexpr const char *steps[] = {"eltwise_tanh", "binary_mul", ""};
  spec.attrs.set("algorithm", std::string(steps[kind]));
  const Dims dims = sizes(1 + below(5));
  operand(dims);
  if (kind == 1)
    operand(dims);
  result(dims);
  if (kind != 2)
    postOps();
}

void Drawer::reduction() {
  spec.name = "reduction";
  spec.attrs.set("algorithm", std::string("reduction_sum"));
  const Dims dims = sizes(1 + below(5));
  Dims axes, left;
  for (size_t i = 0; i < dims.size(); ++i)
    if (axes.empty() || chance(2))
      axes.push_back(static_cast<int64_t>(i));
    else
      left.push_back(dims[i]);
  spec.attrs.set("axes", axes);
  operand(dims);
  result(left);
  postOps();
}

void Drawer::ownCode() {
  static constexpr const char *names[] = {"top_k", "scatter", "inverse_index"};
  const uint64_t kind = below(3);
  spec.name = names[kind];
  const int64_t count = size(), length = size(), width = size();
  const auto positions = [&](const Dims &dims) {
    const DType of = chance(2) ? DType::I32 : DType::I64;
    return isAccepted({of, dims, {}}) ? rowMajor(of, dims)
                                      : TensorDesc{of, dims, Dims(dims.size())};
  };
  if (kind == 0) {
    operand({count, length});
    spec.results.push_back(positions({count, std::min(length, width)}));
  } else if (kind == 1) {
    spec.attrs.set("algorithm", std::string("scatter_sum"));
    operand({count, length, width});
    const int64_t updates = size();
    spec.operands.push_back(positions({updates}));
    operand({count, updates, width});
    result({count, length, width});
  } else {
    spec.operands.push_back(positions({length, width}));
    spec.results.push_back(positions({count, width}));
    spec.attrs.set("axis", Dims{0});
  }
}

KernelSpec Drawer::launch() {
  static constexpr void (Drawer::*families[])() = {
      &Drawer::matmul,      &Drawer::linear,        &Drawer::convolution,
      &Drawer::convolution, &Drawer::pool,          &Drawer::pool,
      &Drawer::globalPool,  &Drawer::normalization, &Drawer::rows,
      &Drawer::pointwise,   &Drawer::reduction,     &Drawer::ownCode};
  spec = {};
  type = chance(4) ? DType::BF16 : DType::F32;
  (this->*families[below(std::size(families))])();
  return std::move(spec);
}

} // namespace

// Each launch is prepared or refused before long.
TEST(ExtremeSizes, ArePreparedOrRefused) {
  const int numTrials = countTrials(1000);
  int numPrepared = 0, numRefused = 0;
  for (int trial = 0; trial < numTrials; ++trial) {
    Drawer drawer(static_cast<uint64_t>(trial));
    const KernelSpec spec = drawer.launch();
    if (!std::ranges::all_of(spec.operands, isAccepted) ||
        !std::ranges::all_of(spec.results, isAccepted))
      continue;
    CountingContext context(drawer.below(2) ? 16 : 1, drawer.below(2) == 0);
    const KernelTableEntry *row = findKernel(cpuKernels(), spec.name);
    ASSERT_NE(row, nullptr) << spec.name;
    const auto begin = std::chrono::steady_clock::now();
    const auto kernel = row->prepare(spec, context);
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(60))
        << "trial " << trial;
    ++(kernel ? numPrepared : numRefused);
    if (!kernel) {
      EXPECT_FALSE(kernel.status().message().empty()) << "trial " << trial;
    }
  }
  EXPECT_GT(numPrepared, numTrials / 10);
  EXPECT_GT(numRefused, numTrials / 100);
}
