//===- TrainingOption.h - The options that errors name --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TRAININGOPTION_H
#define WEIR_LIB_TRAINING_TRAININGOPTION_H

#include "weir/Training/OptionNames.h"

#include <string_view>

namespace weir {

/// The options that errors and notes of a training name, so that users can
/// change them.
enum class TrainingOption {
  CheckNumerics,
  Checkpoint,
  Data,
  Entry,
  Epochs,
  Input,
  Last,
  Map,
  Mask,
  Overwrite,
  Override,
  Plateau,
  Resume,
  Steps,
  StopEarly,
  Validation,
  ValidationEntry,
  ValidationLast,

  // Options of the compiler. They are flags of graph-compile for everyone.
  PortSpace,
  Shape,
  Train,

  // The texts that give a value to an option. The name of the option comes
  // before them.
  DropValue,
  FileValue,
  KeepValue,
  PadValue
};

/// The name of `option` among `names`; empty if `names` have no such option.
std::string_view nameOf(TrainingOption option, OptionNames names);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TRAININGOPTION_H
