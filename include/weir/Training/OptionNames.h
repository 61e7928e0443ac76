//===- OptionNames.h - What errors call options -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TRAINING_OPTIONNAMES_H
#define WEIR_TRAINING_OPTIONNAMES_H

namespace weir {

/// The names by which errors and notes call the options of a training.
enum class OptionNames {
  /// Members of C++: `TrainerOptions::resume`.
  Cpp,
  /// Members of C: `weir_trainer_options.resume`.
  C,
  /// Flags of graph-run: --resume.
  Flags
};

} // namespace weir

#endif // WEIR_TRAINING_OPTIONNAMES_H
