//===- Validation.cpp - Values on examples that are not trained on --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include "BatchErrors.h"
#include "EntryBatches.h"
#include "EntryChecks.h"
#include "Means.h"
#include "TrainingOption.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<Validation> Validation::create(const Session &session,
                                        const TrainerOptions &options,
                                        const SessionEntry &training) {
  const std::string_view data =
      nameOf(TrainingOption::Validation, options.names);
  if (!options.validation)
    return invalidArgument(
        fmt::format("there is no data for the validation by entry '{}'; give "
                    "it with {}",
                    printable(options.validationEntry), data));
  LoaderOptions loading = options.loader;
  loading.batchSize = 0;
  loading.shuffle = loading.augment = false;
  loading.last = options.validationLast;
  loading.epochs = 1;
  loading.start = {};
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry,
                        session.entry(options.validationEntry));
  WEIR_RETURN_IF_ERROR(checkValidates(entry, training, options.names));
  auto runs = bindBatches(session, options.validationEntry, *options.validation,
                          options, loading, TrainingOption::ValidationLast);
  if (!runs)
    return std::move(runs).status().withContext(data);
  return Validation(*std::move(runs), *options.validation, std::move(loading));
}

StatusOr<std::optional<std::vector<double>>>
Validation::run(const std::atomic<bool> &isStopped, const RunOptions &options) {
  batch.reset();
  WEIR_ASSIGN_OR_RETURN(batches, Loader::create(data, loading));
  Means means(valueNames().size());
  NonFiniteBatches nonFinite(runs.optionNames());
  while (!isStopped) {
    WEIR_ASSIGN_OR_RETURN(batch, batches->next());
    if (!batch) {
      found = nonFinite.describe();
      return std::optional(means.get());
    }
    const auto values = runs.run(*batch, options);
    if (!values)
      return withExamples(values.status(), data, *batches, *batch);
    means.add(*values, batch->count());
    nonFinite.add(valueNames(), *values, *batches, *batch);
  }
  return std::optional<std::vector<double>>();
}
