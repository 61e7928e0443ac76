//===- MeaningMap.h - What is known about equal ops -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Many ops of a graph differ only in their operands. So a fact that depends
// only on an op's record, attributes and types is computed once for all such
// ops. This matters most for composites, because their body must be built to
// find the fact.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_MEANINGMAP_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_MEANINGMAP_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace weir {

/// What an op computes: its name, its attributes without placement, and the
/// types of its operands and results. Each is a pointer that is unique in the
/// MLIR context.
using OpMeaning = std::vector<const void *>;

struct OpMeaningHash {
  size_t operator()(const OpMeaning &meaning) const;
};

OpMeaning getMeaning(mlir::Operation *op);

/// The attributes of `op` that determine what it computes.
mlir::DictionaryAttr getMeaningAttrs(mlir::Operation *op);

/// A value of type T for each meaning.
template <typename T> class MeaningMap {
public:
  /// The value for ops like `op`. The first call makes it by `make(op)`.
  template <typename Make> const T &get(WeirOpInterface op, Make make) {
    auto [place, isNew] = known.try_emplace(getMeaning(op));
    if (isNew)
      place->second = make(op);
    return place->second;
  }

private:
  std::unordered_map<OpMeaning, T, OpMeaningHash> known;
};

/// Calls `chooseKernel` once for all ops with the same meaning.
class KernelChooser {
public:
  explicit KernelChooser(bool allowReference)
      : allowReference(allowReference) {}

  /// `device` outlives the chooser.
  const KernelChoice &choose(WeirOpInterface op, const DeviceDesc &device);

private:
  bool allowReference;
  std::map<const DeviceDesc *, MeaningMap<KernelChoice>> choices;
};

/// Calls `getCost` once for all ops with the same meaning.
class CostTable {
public:
  const OpCost &get(WeirOpInterface op) { return costs.get(op, getCost); }

private:
  MeaningMap<OpCost> costs;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_MEANINGMAP_H
