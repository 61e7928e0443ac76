//===- TrainingOption.cpp - The options that errors name ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingOption.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>

using namespace weir;

namespace {
/// The names of an option. If C lacks an option, errors name the flag of
/// graph-run.
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
      {Map, "parseColumnMap", "weir_trainer_options.maps", "--map"},
      {Mask, "LoaderOptions::maskColumn", "weir_trainer_options.mask",
       "--mask"},
      {Overwrite, "StepReportOptions::existing", "", "--overwrite"},
      {Override, "TrainerOptions::mayOverride", "graph-run --override",
       "--override"},
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
      {PortSpace, "graph-compile --port-space", "graph-compile --port-space",
       "--port-space"},
      {Shape, "graph-compile --shape", "graph-compile --shape", "--shape"},
      {Train, "graph-compile --train", "graph-compile --train", "--train"},
      {DropValue, " = LastBatch::Drop", " = WEIR_LAST_DROP", "=drop"},
      {FileValue, "", "", "=FILE.npy"},
      {KeepValue, " = LastBatch::Keep", " = WEIR_LAST_KEEP", "=keep"},
      {PadValue, " = LastBatch::Pad", " = WEIR_LAST_PAD", "=pad"},
  };

  // Each option has a row, in the order of the options.
  static_assert(std::size(rows) == static_cast<size_t>(PadValue) + 1 &&
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
