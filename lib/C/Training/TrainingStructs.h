//===- TrainingStructs.h - Structs of the C API that trains -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_C_TRAINING_TRAININGSTRUCTS_H
#define WEIR_LIB_C_TRAINING_TRAININGSTRUCTS_H

#include "../GrowingStructs.h"
#include "weir/C/training.h"
#include "weir/Training/Trainer.h"

#include <optional>
#include <span>
#include <vector>

namespace weir::c {

template <> inline constexpr size_t firstSize<weir_step> = 88;
template <> inline constexpr size_t firstSize<weir_trainer_options> = 208;
template <> inline constexpr size_t firstSize<weir_training_summary> = 104;

/// The values of a trainer as arrays for C.
struct ValueArrays {
  std::vector<weir_named_value> values, validation;
  double rate = 0;
};

/// `result` as a struct. Fills `arrays`, to which the struct refers.
weir_step describeStep(const StepResult &result, ValueArrays &arrays);
weir_training_summary describeSummary(const TrainingSummary &summary,
                                      ValueArrays &arrays);

/// Reads all options but the data and the callback.
StatusOr<TrainerOptions> readTrainerOptions(const weir_trainer_options &given);

/// The data that the options give: columns of files, or arrays.
StatusOr<Dataset> openData(const weir_trainer_options &given);
/// The data for the validation. Its classes are those of the columns of `data`.
StatusOr<std::optional<Dataset>>
openValidationData(const weir_trainer_options &given, const Dataset &data);

} // namespace weir::c

#endif // WEIR_LIB_C_TRAINING_TRAININGSTRUCTS_H
