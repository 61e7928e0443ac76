//===- TrainingOption.h - The options that errors name --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TRAININGOPTION_H
#define WEIR_LIB_TRAINING_TRAININGOPTION_H

#include "weir/Data/Loader.h"
#include "weir/Training/OptionNames.h"

#include <string>
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
  Override,
  Overwrite,
  Plateau,
  Resume,
  Steps,
  StopEarly,
  Validation,
  ValidationEntry,
  ValidationLast
};

/// The name of `option` among `names`; empty if `names` have no such option.
std::string_view nameOf(TrainingOption option, OptionNames names);

/// How `option`, which is `Last` or `ValidationLast`, is set to `value`, such
/// as "--last=keep".
std::string settingOf(TrainingOption option, LastBatch value,
                      OptionNames names);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TRAININGOPTION_H
