//===- SharedWeights.h - Weights that models share --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A process often runs models with the same weights, such as one network for
// two batch sizes. Equal weights are in memory only once. This holds for
// weights that kernels have packed in the same way, and for parameters that
// runs read unpacked.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_SHAREDWEIGHTS_H
#define WEIR_LIB_RUNTIME_LOADING_SHAREDWEIGHTS_H

#include "weir/Support/Status.h"

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace weir {

/// The facts that determine the bytes of a weight in memory.
struct WeightContent {
  /// The parameter: its hash and size in the artifact.
  uint64_t blobHash = 0;
  uint64_t blobBytes = 0;
  /// The offset of the operand in the parameter.
  uint64_t offset = 0;
  /// The format of a packed operand, and its bytes. The format is empty if the
  /// operand is not packed.
  std::string format;
  size_t bytes = 0;

  auto operator<=>(const WeightContent &) const = default;
};

/// The place of a weight: the bytes at `data`, which `memory` keeps alive.
struct WeightPlace {
  std::byte *data = nullptr;
  std::shared_ptr<const void> memory;
};

/// A weight in memory. Once it is made, it never changes.
class SharedWeight {
public:
  SharedWeight() = default;
  explicit SharedWeight(WeightPlace place)
      : isMade(true), place(std::move(place)) {}

  const std::byte *data() const { return place.data; }

private:
  friend class SharedWeights;
  friend class WeightUse;
  /// Held while the weight is made.
  std::mutex making;
  bool isMade = false;
  WeightPlace place;
  /// The use that counts the bytes.
  std::atomic<const void *> counter{nullptr};
};

/// A model's use of a weight. The weight exists as long as its uses.
class WeightUse {
public:
  explicit WeightUse(std::shared_ptr<SharedWeight> weight)
      : weight(std::move(weight)) {
    isCounted();
  }
  ~WeightUse();
  WeightUse(const WeightUse &) = delete;
  WeightUse &operator=(const WeightUse &) = delete;

  const std::byte *data() const { return weight->data(); }
  /// Whether this use counts the bytes of the weight. The first use counts
  /// them. After its end, the next use for which this is called counts them.
  bool isCounted() const;

private:
  std::shared_ptr<SharedWeight> weight;
};

/// The weights of a process by their content. Thread-safe. No lock is taken
/// when a weight ends.
class SharedWeights {
public:
  static SharedWeights &ofProcess();

  using Maker = std::function<StatusOr<WeightPlace>()>;
  /// The weight with `content`. If no model has it, a new weight at the place
  /// that `make` returns. Other threads that ask for the same weight wait for
  /// `make`, which must not ask for a weight itself.
  StatusOr<std::shared_ptr<SharedWeight>> get(const WeightContent &content,
                                              const Maker &make);
  /// The weight that a model has added, or null.
  std::shared_ptr<SharedWeight> find(const WeightContent &content);
  /// Lets `find` return `weight`, unless it already returns another weight with
  /// this content. If models are loaded at the same time on different devices,
  /// each model may have its own weight.
  void add(const WeightContent &content,
           const std::shared_ptr<SharedWeight> &weight);

private:
  std::weak_ptr<SharedWeight> &entry(const WeightContent &content);

  std::mutex mutex;
  std::map<WeightContent, std::weak_ptr<SharedWeight>> weights;
  static constexpr size_t fewWeights = 64;
  /// Expired entries are swept when the map has this many.
  size_t mostWeights = fewWeights;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_SHAREDWEIGHTS_H
