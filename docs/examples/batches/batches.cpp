//===- batches.cpp - Reads a dataset in shuffled batches ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: batches DATA MAP, for instance
//   batches x=digits.npz:images,y=digits.npz:labels x=scale:255
//
//===----------------------------------------------------------------------===//

#include "weir/Data/DataText.h"
#include "weir/Data/Loader.h"

#include <cstdio>

using namespace weir;

static Status readBatches(const char *data, const char *map) {
  WEIR_ASSIGN_OR_RETURN(const Dataset files, parseDataset(data));
  WEIR_ASSIGN_OR_RETURN(const ColumnMap steps, parseColumnMap(map));
  WEIR_ASSIGN_OR_RETURN(const Dataset all,
                        files.map(steps.column, steps.steps));
  // A fifth is for validation. The files may be sorted by class.
  WEIR_ASSIGN_OR_RETURN(const auto parts,
                        all.shuffled(1).split(all.size() * 4 / 5));

  LoaderOptions options;
  options.batchSize = 16;
  options.shuffle = true;
  options.epochs = 2;
  options.threads = 2;
  WEIR_ASSIGN_OR_RETURN(Loader loader, Loader::create(parts.first, options));
  for (const ColumnInfo &column : loader.columns())
    std::printf("column %s\n", column.name.c_str());
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, loader.next());
    if (!batch)
      return Status::ok();
    // A training step goes here: its inputs are `batch->tensors()`.
    std::printf("epoch %lld, batch %lld: %s\n",
                static_cast<long long>(batch->position().epoch),
                static_cast<long long>(batch->position().batch),
                batch->tensors()[0].desc().toString().c_str());
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: batches DATA MAP\n");
    return 2;
  }
  const Status status = readBatches(argv[1], argv[2]);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "batches: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
