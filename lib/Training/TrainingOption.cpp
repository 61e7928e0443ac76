//===- TrainingOption.cpp - The options that errors name ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingOption.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <iterator>

using namespace weir;

namespace {
/// The names of an option. A name is empty if nobody can set the option there.
/// In C, options that only graph-run sets have the name of its flag: C may go
/// on with a training of graph-run.
struct OptionRow {
  TrainingOption option;
  std::string_view cpp, c, flag;
};
} // namespace

std::string_view weir::nameOf(TrainingOption option, OptionNames names) {
  using enum TrainingOption;
  static constexpr OptionRow rows[] = {
      {CheckNumerics, "SessionOptions::checkNumerics",
       "weir_session_options.check_numerics", "--check-numerics"},
      {Checkpoint, "TrainerOptions::checkpoints",
       "weir_trainer_options.checkpoint_folder", "--checkpoint"},
      {Data, "parseDataset", "weir_trainer_options.data", "--data"},
      {Entry, "TrainerOptions::entry", "weir_trainer_options.entry", "--entry"},
      {Epochs, "TrainerOptions::epochs", "weir_trainer_options.epochs",
       "--epochs"},
      {Input, "TrainerOptions::inputs", "weir_trainer_options.inputs",
       "--input"},
      {Last, "LoaderOptions::last", "weir_trainer_options.last", "--last"},
      {Map, "Dataset::map", "weir_trainer_options.maps", "--map"},
      {Mask, "LoaderOptions::maskColumn", "weir_trainer_options.mask",
       "--mask"},
      {Override, "TrainerOptions::mayOverride", "", "--override"},
      {Overwrite, "StepReportOptions::existing", "", "--overwrite"},
      {Plateau, "TrainerOptions::plateau", "graph-run --plateau", "--plateau"},
      {Resume, "TrainerOptions::resume", "weir_trainer_options.resume",
       "--resume"},
      {Steps, "TrainerOptions::steps", "weir_trainer_options.steps", "--steps"},
      {StopEarly, "TrainerOptions::earlyStop", "graph-run --stop-early",
       "--stop-early"},
      {Validation, "TrainerOptions::validation",
       "weir_trainer_options.validation_data", "--validation-data"},
      {ValidationEntry, "TrainerOptions::validationEntry",
       "weir_trainer_options.validation_entry", "--validation-entry"},
      {ValidationLast, "TrainerOptions::validationLast",
       "weir_trainer_options.validation_last", "--validation-last"},
  };

  // Each option has a row, in the order of the options.
  static_assert(std::size(rows) == static_cast<size_t>(ValidationLast) + 1 &&
                std::ranges::adjacent_find(rows, std::greater_equal(),
                                           &OptionRow::option) ==
                    std::end(rows));
  const OptionRow &row = rows[static_cast<size_t>(option)];
  switch (names) {
  case OptionNames::Cpp:
    return row.cpp;
  case OptionNames::C:
    return row.c;
  case OptionNames::Flags:
    break;
  }
  return row.flag;
}

std::string weir::settingOf(TrainingOption option, LastBatch value,
                            OptionNames names) {
  struct ValueRow {
    std::string_view cpp, c, flag;
  };
  static constexpr ValueRow rows[] = {{"Keep", "KEEP", "=keep"},
                                      {"Drop", "DROP", "=drop"},
                                      {"Pad", "PAD", "=pad"}};
  const ValueRow &row = rows[static_cast<size_t>(value)];
  const std::string_view name = nameOf(option, names);
  switch (names) {
  case OptionNames::Cpp:
    return fmt::format("{} = LastBatch::{}", name, row.cpp);
  case OptionNames::C:
    return fmt::format("{} = WEIR_LAST_{}", name, row.c);
  case OptionNames::Flags:
    break;
  }
  return fmt::format("{}{}", name, row.flag);
}
