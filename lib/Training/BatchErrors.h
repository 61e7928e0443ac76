//===- BatchErrors.h - What the examples of a batch have to do with errors ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_BATCHERRORS_H
#define WEIR_LIB_TRAINING_BATCHERRORS_H

#include "weir/Data/Loader.h"
#include "weir/Training/OptionNames.h"

#include <cstdint>
#include <span>
#include <string>

namespace weir {

/// `error` of a run on `batch` of `data`, with the examples that may be its
/// cause. The error of an op names neither files nor rows.
Status withExamples(Status error, const Dataset &data, const Loader &loader,
                    const Batch &batch);

/// "; column 'x' of this batch has a NaN or infinity ('x.npy', row 5)"; empty
/// if all numbers of `batch` are finite.
std::string describeNonFinite(const Loader &loader, const Batch &batch);

/// The text of `describeNonFinite`. If that is empty, a text that says how to
/// find the op whose results are not finite.
std::string describeCause(const Loader &loader, const Batch &batch,
                          OptionNames names);

/// Finds values of batches that are NaN or infinite. The means of such values
/// are not finite either, and do not tell which batch is the cause.
class NonFiniteBatches {
public:
  explicit NonFiniteBatches(OptionNames names) : optionNames(names) {}

  /// Adds `values` of a run on `batch`. Their names are `names`.
  void add(std::span<const std::string> names, std::span<const double> values,
           const Loader &loader, const Batch &batch);
  /// "'loss' is NaN in 1 of 20 batches, ...", and a text on how to find the
  /// cause; empty if all values are finite.
  std::string describe() const;

private:
  OptionNames optionNames;
  int64_t numBatches = 0, numFound = 0;
  /// The texts about the first value that is found.
  std::string value, place, cause;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_BATCHERRORS_H
