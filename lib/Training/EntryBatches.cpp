//===- EntryBatches.cpp - Which batches an entry takes --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryBatches.h"

#include "EntryChecks.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

/// The columns that batches of a loader with `options` have.
static std::vector<ColumnInfo> batchColumns(const Dataset &data,
                                            const LoaderOptions &options) {
  std::vector<ColumnInfo> columns = data.columns();
  if (!options.maskColumn.empty())
    columns.emplace_back().name = options.maskColumn;
  return columns;
}

/// Checks that the entry is compiled for the batch size of `options`. If
/// `options` have none, takes the first size of the entry.
static Status chooseBatchSize(const BatchRuns &runs, LoaderOptions &options) {
  const std::vector<int64_t> sizes = runs.batchSizes();
  if (options.batchSize == 0)
    options.batchSize = sizes.front();
  if (std::ranges::find(sizes, options.batchSize) != sizes.end())
    return Status::ok();
  return invalidArgument(fmt::format(
      "entry '{}' is compiled for batches of {}, found a batch size of {}; "
      "take one that it is compiled for, or, if the graph leaves the number of "
      "examples open, compile it with graph-compile --shape for this one",
      printable(runs.entryName()), fmt::join(sizes, ", "), options.batchSize));
}

/// Checks that the entry can run the smaller batch at the end of the data, or
/// that there is a whole batch before it.
static Status checkLastBatch(const BatchRuns &runs, const Dataset &data,
                             const LoaderOptions &options, TrainingOption last,
                             OptionNames names) {
  const int64_t rest = data.size() % options.batchSize;
  if (options.last == LastBatch::Pad || rest == 0)
    return Status::ok();
  const std::vector<int64_t> sizes = runs.batchSizes();
  const bool isCompiled = std::ranges::find(sizes, rest) != sizes.end();
  const bool isAlone = data.size() < options.batchSize;
  if (options.last == LastBatch::Keep ? isCompiled : !isAlone)
    return Status::ok();
  if (isAlone)
    return invalidArgument(fmt::format(
        "the data has {} examples, fewer than a batch of {}; {}", data.size(),
        options.batchSize,
        isCompiled
            ? fmt::format("make a smaller batch of them with {}",
                          settingOf(last, LastBatch::Keep, names))
            : fmt::format("give more examples, or, if the graph leaves their "
                          "number open, compile entry '{}' for batches of {} "
                          "with graph-compile --shape",
                          printable(runs.entryName()), data.size())));
  return invalidArgument(fmt::format(
      "the data has {} examples, so the last batch of {} has {}, for which "
      "entry '{}' is not compiled; leave these examples out with {}, or, "
      "if the graph leaves the number of examples open, compile it with "
      "graph-compile --shape for both sizes",
      data.size(), options.batchSize, rest, printable(runs.entryName()),
      settingOf(last, LastBatch::Drop, names)));
}

StatusOr<BatchRuns>
weir::bindBatches(const Session &session, const std::string &name,
                  const Dataset &data, const TrainerOptions &options,
                  LoaderOptions &loading, TrainingOption last) {
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(name));
  WEIR_RETURN_IF_ERROR(checkPadding(entry, loading, last, options.names));
  WEIR_ASSIGN_OR_RETURN(BatchRuns runs,
                        BatchRuns::create(entry, batchColumns(data, loading),
                                          options.inputs, options.names));
  if (runs.valueNames().empty())
    return invalidArgument(fmt::format(
        "entry '{}' has no output of one element; return the loss from it",
        printable(name)));
  WEIR_RETURN_IF_ERROR(chooseBatchSize(runs, loading));
  WEIR_RETURN_IF_ERROR(
      checkLastBatch(runs, data, loading, last, options.names));
  return runs;
}
