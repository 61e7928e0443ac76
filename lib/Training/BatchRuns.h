//===- BatchRuns.h - Runs an entry on batches -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_BATCHRUNS_H
#define WEIR_LIB_TRAINING_BATCHRUNS_H

#include "weir/Data/Loader.h"
#include "weir/Runtime/Session.h"
#include "weir/Training/OptionNames.h"

#include <span>
#include <string>
#include <vector>

namespace weir {

/// Runs an entry. Each of its inputs is a column of the batches, or the same in
/// all runs. Outputs of one element are the values of a run.
class BatchRuns {
public:
  /// Finds a column or one of `fixed` for each input. The dims of an example
  /// must be those of the input without its first dim. Dims of 1 do not count.
  /// Errors call options by their `optionNames`.
  static StatusOr<BatchRuns> create(SessionEntry entry,
                                    std::span<const ColumnInfo> columns,
                                    std::span<const NamedColumn> fixed,
                                    OptionNames optionNames);

  /// The names of the values, in the order of the outputs.
  std::span<const std::string> valueNames() const { return names; }
  /// The sizes of batches for which the entry is compiled.
  std::vector<int64_t> batchSizes() const;
  std::string_view entryName() const { return entry.name(); }
  OptionNames optionNames() const { return called; }

  /// Runs on `batch`, whose size must be one of `batchSizes`. The values are
  /// valid until the next run.
  StatusOr<std::span<const double>> run(const Batch &batch,
                                        const RunOptions &options = {});
  /// The values and all outputs of the last run.
  std::span<const double> lastValues() const { return values; }
  std::span<const HostTensor> lastOutputs() const { return last->outputs; }
  /// The descriptions of the outputs for the first of `batchSizes`.
  std::span<const TensorInfo> outputInfos() const { return entry.outputs(); }

private:
  /// The source of an input.
  struct Source {
    bool isColumn = false;
    size_t index = 0;
  };
  /// The entry for one size of batches.
  struct SizedEntry {
    size_t shape = 0;
    int64_t batchSize = 0;
    std::vector<Source> sources;
    std::vector<HostTensor> outputs;
    std::vector<size_t> valueOutputs;
    std::vector<ConstTensorView> inputViews;
    std::vector<TensorView> outputViews;
  };

  BatchRuns(SessionEntry entry, OptionNames optionNames)
      : entry(entry), called(optionNames) {}
  StatusOr<SizedEntry> makeSizedEntry(size_t shape,
                                      std::span<const ColumnInfo> columns,
                                      std::span<const NamedColumn> fixed) const;
  Status addOutputs(SizedEntry &sized) const;
  Status bind(SizedEntry &sized, const TensorInfo &input,
              std::span<const ColumnInfo> columns,
              std::span<const NamedColumn> fixed) const;

  SessionEntry entry;
  /// What errors call options.
  OptionNames called;
  std::vector<std::string> names;
  std::vector<SizedEntry> sizedEntries;
  std::vector<double> values;
  const SizedEntry *last = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_BATCHRUNS_H
