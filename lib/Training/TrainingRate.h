//===- TrainingRate.h - The learning rate of a training -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TRAININGRATE_H
#define WEIR_LIB_TRAINING_TRAININGRATE_H

#include "StepRate.h"
#include "weir/Support/HostTensor.h"
#include "weir/Training/Checkpoints.h"

#include <cstdint>
#include <optional>

namespace weir {

/// The rate of steps. It comes from a schedule in the artifact, or from an
/// input. A plateau lowers the input.
class TrainingRate {
public:
  /// The name of the rate in reports.
  static constexpr const char *name = "rate";

  /// Takes the rate of a schedule. `uncounted` is the number of runs of another
  /// training that the session has counted.
  void follow(StepRate given, int64_t uncounted);
  /// Takes the only element of `given` as the rate. `set` changes it there.
  void own(HostTensor &given);
  /// Keeps the rate out of reports, because the entry has an output of that
  /// name, which they show.
  void hide() { isHidden = true; }

  const std::optional<StepRate> &schedule() const { return fromRuns; }
  /// Whether there is an input with the rate.
  bool isOwned() const { return input != nullptr; }
  /// Whether reports show the rate.
  bool isShown() const { return !isHidden && (fromRuns || input); }

  /// Gives the steps after `position` the rate that the plateau has reached
  /// there.
  void set(const TrainingPosition &position);
  /// The rate that `set` gives.
  double lowered(const TrainingPosition &position) const {
    return first * position.plateauFactor;
  }
  /// The rate that reports show for the step after `position`.
  double behind(const TrainingPosition &position) const;

private:
  std::optional<StepRate> fromRuns;
  int64_t uncounted = 0;
  /// The input and its first value.
  HostTensor *input = nullptr;
  double first = 0;
  bool isHidden = false;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_TRAININGRATE_H
