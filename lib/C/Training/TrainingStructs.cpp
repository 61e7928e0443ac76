//===- TrainingStructs.cpp - Structs of the C API that trains ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingStructs.h"

#include "../../Training/JoinedMaps.h"
#include "../../Training/Patience.h"
#include "../Handles.h"
#include "../TensorStructs.h"
#include "weir/Data/DataText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <string>

using namespace weir;

static_assert(static_cast<int>(LastBatch::Keep) == WEIR_LAST_KEEP &&
              static_cast<int>(LastBatch::Drop) == WEIR_LAST_DROP &&
              static_cast<int>(LastBatch::Pad) == WEIR_LAST_PAD);
static_assert(static_cast<int>(TrainingEnd::None) == WEIR_TRAINING_GOES_ON);

static uint64_t toNs(double seconds) {
  return static_cast<uint64_t>(seconds * 1e9);
}

/// Sets `array` to `scalars`.
static void fill(std::span<const NamedScalar> scalars,
                 std::vector<weir_named_value> &array) {
  array.clear();
  for (const NamedScalar &scalar : scalars)
    array.push_back({scalar.name.c_str(), scalar.value});
}

weir_step c::describeStep(const StepResult &result, ValueArrays &arrays) {
  fill(result.values, arrays.values);
  fill(result.validation, arrays.validation);
  arrays.rate = result.rate.value_or(0);
  weir_step step = {};
  step.step = result.step;
  step.epoch = result.epoch;
  step.examples = result.examples;
  step.time_ns = toNs(result.seconds);
  step.values = arrays.values.data();
  step.num_values = arrays.values.size();
  step.rate = result.rate ? &arrays.rate : nullptr;
  step.validation = arrays.validation.data();
  step.num_validation = arrays.validation.size();
  step.is_last = result.isLast;
  return step;
}

static weir_training_end endOf(TrainingEnd end) {
  switch (end) {
  case TrainingEnd::None:
    return WEIR_TRAINING_GOES_ON;
  case TrainingEnd::Complete:
  case TrainingEnd::Early:
    return WEIR_TRAINING_COMPLETE;
  case TrainingEnd::Stopped:
    return WEIR_TRAINING_STOPPED;
  case TrainingEnd::Cancelled:
    return WEIR_TRAINING_CANCELLED;
  case TrainingEnd::NonFinite:
    return WEIR_TRAINING_NON_FINITE;
  case TrainingEnd::Unsaved:
    return WEIR_TRAINING_UNSAVED;
  case TrainingEnd::Failed:
    break;
  }
  return WEIR_TRAINING_FAILED;
}

weir_training_summary c::describeSummary(const TrainingSummary &summary,
                                         ValueArrays &arrays) {
  fill(summary.values, arrays.values);
  fill(summary.validation, arrays.validation);
  weir_training_summary found = {};
  found.step = summary.position.step;
  found.epoch = summary.position.epoch;
  found.steps_before = summary.stepsBefore;
  found.examples = summary.examples;
  found.time_ns = toNs(summary.seconds);
  found.data_wait_ns = toNs(summary.dataSeconds);
  found.data_waits = summary.dataWaits;
  found.values = arrays.values.data();
  found.num_values = arrays.values.size();
  found.validation = arrays.validation.data();
  found.num_validation = arrays.validation.size();
  found.end = endOf(summary.end);
  return found;
}

/// Copies tensors to the host's memory. `what` names a tensor in errors.
static StatusOr<std::vector<NamedColumn>>
copyTensors(const weir_named_tensor *tensors, size_t count, const char *what) {
  WEIR_RETURN_IF_ERROR(c::checkArray(tensors, count, what));
  std::vector<NamedColumn> columns;
  for (size_t i = 0; i < count; ++i) {
    const auto copy = [&]() -> Status {
      const weir_named_tensor &given = tensors[i];
      WEIR_RETURN_IF_ERROR(c::checkNotNull(given.name, "name"));
      WEIR_RETURN_IF_ERROR(c::checkTensor(given.tensor));
      if (given.tensor.space)
        return invalidArgument(
            "the tensor lies on a device; pass one in the host's memory");
      const auto view = c::viewOf<ConstTensorView>(given.tensor);
      if (view.bytes > 0)
        WEIR_RETURN_IF_ERROR(c::checkNotNull(view.data, "data"));
      // A tensor with fewer bytes than its shape needs is refused later.
      const std::vector<int64_t> dims(view.dims.begin(), view.dims.end());
      WEIR_ASSIGN_OR_RETURN(const size_t needed,
                            rowMajorBytes(view.type, dims));
      WEIR_ASSIGN_OR_RETURN(
          HostTensor values,
          HostTensor::copyOf(view.type, dims,
                             {static_cast<const std::byte *>(view.data),
                              std::min<size_t>(view.bytes, needed)}));
      columns.push_back({given.name, std::move(values)});
      return Status::ok();
    };
    WEIR_RETURN_IF_ERROR(copy().withContext(fmt::format("{} {}", what, i)));
  }
  return columns;
}

static Status checkCounts(const weir_trainer_options &given) {
  for (const auto &[name, value] :
       {std::pair{"epochs", given.epochs},
        {"steps", given.steps},
        {"validate_every", given.validate_every},
        {"batch_size", given.batch_size},
        {"checkpoint_every", given.checkpoint_every}})
    if (value < 0)
      return invalidArgument(
          fmt::format("{} is {}; expected a number from 0 up", name, value));
  for (const auto &[name, last] : {std::pair{"last", given.last},
                                   {"validation_last", given.validation_last}})
    if (last < WEIR_LAST_KEEP || last > WEIR_LAST_PAD)
      return invalidArgument(
          fmt::format("{} is {}; use WEIR_LAST_KEEP, WEIR_LAST_DROP or "
                      "WEIR_LAST_PAD",
                      name, last));
  return Status::ok();
}

StatusOr<TrainerOptions>
c::readTrainerOptions(const weir_trainer_options &given) {
  WEIR_RETURN_IF_ERROR(checkCounts(given));
  TrainerOptions options;
  options.names = OptionNames::C;
  if (given.entry)
    options.entry = given.entry;
  if (given.validation_entry)
    options.validationEntry = given.validation_entry;
  else if (given.validation_data)
    options.validationEntry = "validate";
  WEIR_ASSIGN_OR_RETURN(options.inputs,
                        copyTensors(given.inputs, given.num_inputs, "input"));
  if (given.epochs > 0)
    options.epochs = given.epochs;
  options.steps = given.steps;
  options.validateEvery = given.validate_every;
  options.loader.batchSize = given.batch_size;
  options.loader.shuffle = given.shuffle;
  options.loader.seed = given.seed;
  options.loader.last = static_cast<LastBatch>(given.last);
  options.validationLast = static_cast<LastBatch>(given.validation_last);
  if (given.mask)
    options.loader.maskColumn = given.mask;
  if (given.cancel_token)
    options.cancelToken = given.cancel_token->token;
  WEIR_RETURN_IF_ERROR(c::checkArray(given.maps, given.num_maps, "map"));
  std::vector<std::string> maps;
  for (size_t i = 0; i < given.num_maps; ++i)
    if (given.maps[i])
      maps.push_back(given.maps[i]);
  options.maps = joinMaps(maps);
  if (given.checkpoint_folder) {
    options.checkpoints.emplace();
    options.checkpoints->folder = given.checkpoint_folder;
    if (given.keep_checkpoints)
      options.checkpoints->keep = 0;
  }
  options.checkpointEvery = given.checkpoint_every;
  options.resume = given.resume;
  if (given.best) {
    options.best = parseMetric(given.best);
    if (!options.best)
      return invalidArgument(
          fmt::format("best is '{}'; expected min:NAME or max:NAME with an "
                      "output of the validation",
                      printable(given.best)));
  }
  if (given.log)
    options.reports.log = given.log;
  if (given.quiet) {
    options.reports.progress = StepReportOptions::Progress::None;
    options.reports.descriptor = -1;
  }
  return options;
}

/// Applies the maps of `given` to `data`.
static StatusOr<Dataset> mapped(Dataset data,
                                const weir_trainer_options &given) {
  WEIR_RETURN_IF_ERROR(c::checkArray(given.maps, given.num_maps, "map"));
  for (size_t i = 0; i < given.num_maps; ++i) {
    const auto apply = [&]() -> Status {
      WEIR_RETURN_IF_ERROR(c::checkNotNull(given.maps[i], "the text"));
      WEIR_ASSIGN_OR_RETURN(const ColumnMap map, parseColumnMap(given.maps[i]));
      WEIR_ASSIGN_OR_RETURN(data, data.map(map.column, map.steps));
      return Status::ok();
    };
    WEIR_RETURN_IF_ERROR(apply().withContext(fmt::format("map {}", i)));
  }
  return data;
}

StatusOr<Dataset> c::openData(const weir_trainer_options &given) {
  if ((given.data != nullptr) == (given.num_columns > 0))
    return invalidArgument("there are no examples, or two sorts of them; set "
                           "either data or columns");
  if (given.data) {
    WEIR_ASSIGN_OR_RETURN(Dataset data, parseDataset(given.data));
    return mapped(std::move(data), given);
  }
  WEIR_ASSIGN_OR_RETURN(
      std::vector<NamedColumn> columns,
      copyTensors(given.columns, given.num_columns, "column"));
  WEIR_ASSIGN_OR_RETURN(Dataset data, Dataset::fromTensors(std::move(columns)));
  return mapped(std::move(data), given);
}

StatusOr<std::optional<Dataset>>
c::openValidationData(const weir_trainer_options &given, const Dataset &data) {
  if (!given.validation_data)
    return std::optional<Dataset>();
  ColumnClasses classes;
  for (const ColumnInfo &column : data.columns())
    if (!column.classes.empty())
      classes[column.name] = column.classes;
  WEIR_ASSIGN_OR_RETURN(Dataset opened,
                        parseDataset(given.validation_data, classes));
  WEIR_ASSIGN_OR_RETURN(opened, mapped(std::move(opened), given));
  return std::optional(std::move(opened));
}
