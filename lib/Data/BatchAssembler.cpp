//===- BatchAssembler.cpp - Makes the batch at any position ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BatchAssembler.h"

#include "weir/Support/Printable.h"
#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace weir;

static Status checkOptions(const Dataset &dataset,
                           const LoaderOptions &options) {
  if (options.batchSize < 1 || options.batchSize > sizeLimit)
    return invalidArgument(fmt::format(
        "the batch size is {}; expected at least 1", options.batchSize));
  if (options.epochs && *options.epochs < 1)
    return invalidArgument(fmt::format(
        "the number of epochs is {}; expected at least 1", *options.epochs));
  if (options.threads < 0 || options.threads > 1024)
    return invalidArgument(fmt::format(
        "the number of threads is {}; expected 0 to 1024", options.threads));
  if (options.ahead < 1 || options.ahead > 65536)
    return invalidArgument(
        fmt::format("the number of batches to read ahead is {}; expected 1 to "
                    "65536",
                    options.ahead));
  if (dataset.size() == 0)
    return invalidArgument("the dataset has no examples, so it makes no batch");
  if (options.last == LastBatch::Drop && dataset.size() < options.batchSize)
    return invalidArgument(fmt::format(
        "the dataset has {} examples, fewer than a batch of {}, and a smaller "
        "batch is dropped; keep it with LastBatch::Keep, pad it with "
        "LastBatch::Pad, or, if the graph leaves the number of examples open, "
        "compile the entry for smaller batches with graph-compile --shape",
        dataset.size(), options.batchSize));
  return Status::ok();
}

StatusOr<BatchAssembler> BatchAssembler::create(Dataset dataset,
                                                const LoaderOptions &options) {
  WEIR_RETURN_IF_ERROR(checkOptions(dataset, options));
  std::vector<ColumnInfo> infos = dataset.columns();
  if (!options.maskColumn.empty()) {
    if (dataset.findColumn(options.maskColumn))
      return invalidArgument(
          fmt::format("the dataset has a column '{}' already; give the mask "
                      "another name",
                      printable(options.maskColumn)));
    infos.push_back({options.maskColumn, DType::F32, {}, {}});
  }
  for (const ColumnInfo &info : infos) {
    std::vector<int64_t> dims = {options.batchSize};
    dims.insert(dims.end(), info.dims.begin(), info.dims.end());
    StatusOr<size_t> bytes = rowMajorBytes(info.type, dims);
    if (!bytes)
      return std::move(bytes).status().withContext(
          fmt::format("a batch of column '{}'", printable(info.name)));
  }
  const int64_t whole = dataset.size() / options.batchSize;
  const bool hasRest = dataset.size() % options.batchSize != 0;
  return BatchAssembler(
      std::move(dataset), options, std::move(infos),
      whole + (hasRest && options.last != LastBatch::Drop ? 1 : 0));
}

StatusOr<std::unique_ptr<BatchMemory>>
BatchAssembler::assemble(BatchPosition position, AssemblerScratch &scratch,
                         Wanted wanted) const {
  const int64_t first = position.batch * options.batchSize;
  const int64_t count = std::min(options.batchSize, dataset.size() - first);
  const int64_t rows =
      options.last == LastBatch::Pad ? options.batchSize : count;
  if (options.shuffle &&
      (!scratch.order || scratch.orderEpoch != position.epoch)) {
    scratch.order.emplace(options.seed, static_cast<uint64_t>(position.epoch),
                          dataset.size());
    scratch.orderEpoch = position.epoch;
  }
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<BatchMemory> batch,
                        BatchPool::take(pool, rows));
  batch->position = position;
  batch->count = count;
  Status status = fill(*batch, first, scratch, wanted);
  if (status.isOk())
    return batch;
  return std::move(status).withContext(fmt::format(
      "batch {} of epoch {} cannot be read", position.batch, position.epoch));
}

std::string BatchAssembler::describe(BatchPosition position, size_t column,
                                     int64_t row) const {
  const std::vector<DatasetColumn> &columns = dataset.state->columns;
  int64_t index = position.batch * options.batchSize + row;
  if (column >= columns.size() || index >= dataset.size())
    return "padding";
  if (options.shuffle)
    index = Permutation(options.seed, static_cast<uint64_t>(position.epoch),
                        dataset.size())[index];
  return columns[column].source->describe(columns[column].view.row(index));
}

Status BatchAssembler::fill(BatchMemory &batch, int64_t first,
                            AssemblerScratch &scratch, Wanted wanted) const {
  const std::vector<DatasetColumn> &columns = dataset.state->columns;
  const DrawKey key{options.seed, batch.position.epoch, options.augment};
  auto row = [&](size_t column, int64_t index) {
    HostTensor &tensor = batch.tensors[column];
    const size_t bytes =
        tensor.bytes().size() / static_cast<size_t>(batch.rows);
    return tensor.bytes().data() + static_cast<size_t>(index) * bytes;
  };
  for (int64_t i = 0; i < batch.count; ++i) {
    if (!wanted.isStill())
      return Status(StatusCode::Cancelled, "the loader was stopped or moved");
    const int64_t index =
        options.shuffle ? (*scratch.order)[first + i] : first + i;
    for (size_t column = 0; column < columns.size(); ++column)
      WEIR_RETURN_IF_ERROR(
          columns[column].read(index, key, row(column, i), scratch.read));
  }
  for (size_t column = 0; column < columns.size(); ++column)
    std::memset(row(column, batch.count), 0,
                static_cast<size_t>(row(column, batch.rows) -
                                    row(column, batch.count)));
  if (!options.maskColumn.empty()) {
    std::span<float> mask = batch.tensors.back().values<float>();
    std::fill_n(mask.begin(), batch.count, 1.0f);
    std::fill(mask.begin() + batch.count, mask.end(), 0.0f);
  }
  return Status::ok();
}
