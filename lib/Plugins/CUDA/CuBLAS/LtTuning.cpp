//===- LtTuning.cpp - Chooses algorithms of cuBLASLt by their times ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtTuning.h"

#include "../Tuning.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>
#include <vector>

using namespace weir;

/// The most algorithms that are timed. cuBLASLt seldom knows more.
static constexpr int mostAlgorithms = 8;

namespace {

class AlgorithmCandidate final : public LaunchCandidate {
public:
  /// `number` is the place of the algorithm in cuBLASLt's order, from 1 on.
  AlgorithmCandidate(LtCall &call, const LtAlgorithm &algorithm, size_t number)
      : algorithm(algorithm), call(call), number(number) {}

  std::string name() const override {
    return fmt::format("algorithm {}", number);
  }
  size_t workspaceBytes() const override { return algorithm.workspaceSize; }
  Status enqueue(void *const *buffers, void *workspace,
                 CUstream stream) override {
    const auto bias = call.product.bias;
    return call.enqueue(
        {buffers, nullptr, bias ? buffers[*bias] : nullptr, workspace},
        algorithm, stream);
  }
  /// An algorithm consists of words. They have the same meaning in all
  /// processes with this version of cuBLASLt.
  StatusOr<std::string> serialise() const override {
    std::string text = std::to_string(number);
    for (const uint64_t word : algorithm.algo.data)
      text += fmt::format(" {}", word);
    return text;
  }

  const LtAlgorithm algorithm;

private:
  LtCall &call;
  size_t number;
};

class TunableProduct final : public TunableLaunch {
public:
  TunableProduct(LtCall &call, const KernelSpec &spec)
      : call(call), spec(spec) {}

  std::string key() const override { return call.identify(); }
  std::vector<TensorDesc> buffers() const override;
  StatusOr<Candidates> list(std::vector<std::string> &) override {
    WEIR_ASSIGN_OR_RETURN(const std::vector<LtAlgorithm> found,
                          call.choose(mostAlgorithms));
    Candidates all;
    for (const LtAlgorithm &algorithm : found)
      all.push_back(std::make_unique<AlgorithmCandidate>(call, algorithm,
                                                         all.size() + 1));
    return all;
  }
  StatusOr<std::unique_ptr<LaunchCandidate>>
  load(const std::string &text) override;

private:
  LtCall &call;
  const KernelSpec &spec;
};

} // namespace

std::vector<TensorDesc> TunableProduct::buffers() const {
  std::vector<TensorDesc> all = spec.operands;
  all.push_back(spec.results[0]);
  // Weights that were stored with another step are larger.
  const LtMatrix &a = call.product.a;
  const auto weights = TensorDesc::rowMajor(a.type, {a.columns * a.step});
  TensorDesc &given = all[call.product.aBuffer];
  if (weights.spanBytes() > given.spanBytes())
    given = weights;
  // A bias of another type is rounded before the call.
  if (const auto bias = call.product.bias)
    all[*bias] = TensorDesc::rowMajor(call.product.d.type, all[*bias].dims);
  return all;
}

StatusOr<std::unique_ptr<LaunchCandidate>>
TunableProduct::load(const std::string &text) {
  size_t number = 0;
  cublasLtMatmulAlgo_t algorithm{};
  const char *at = text.data(), *const end = at + text.size();
  auto read = std::from_chars(at, end, number);
  for (uint64_t &word : algorithm.data) {
    if (read.ec != std::errc() || read.ptr == end)
      return dataLoss("it is no algorithm of cuBLASLt");
    read = std::from_chars(read.ptr + 1, end, word);
  }
  if (read.ec != std::errc())
    return dataLoss("it is no algorithm of cuBLASLt");
  WEIR_ASSIGN_OR_RETURN(const LtAlgorithm checked, call.check(algorithm));
  return std::unique_ptr<LaunchCandidate>(
      std::make_unique<AlgorithmCandidate>(call, checked, number));
}

StatusOr<ChosenAlgorithm>
weir::chooseAlgorithm(LtCall &call, const KernelSpec &spec,
                      const CudaPrepareContext &context) {
  ChosenAlgorithm chosen;
  if (context.options.tunes) {
    TunableProduct launch(call, spec);
    TunedLaunch tuned = tune(launch, context);
    chosen.tuning = std::move(tuned.report);
    if (tuned.candidate) {
      chosen.algorithm =
          static_cast<const AlgorithmCandidate &>(*tuned.candidate).algorithm;
      return chosen;
    }
  }
  WEIR_ASSIGN_OR_RETURN(const std::vector<LtAlgorithm> found, call.choose(1));
  chosen.algorithm = found.front();
  return chosen;
}
