//===- Checkpoints.h - A folder of states of training -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A checkpoint is a safetensors file of all variables of a session: trained
// parameters, statistics, the state of the optimiser, the number of the step.
// Its metadata say how far training has come. So a run that is resumed from it
// computes what the first one would have computed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TRAINING_CHECKPOINTS_H
#define WEIR_TRAINING_CHECKPOINTS_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace weir {

class Session;

/// The progress of a value of the validation.
struct MetricProgress {
  /// The best value so far.
  std::optional<double> best;
  /// The number of validations since the best value.
  int64_t waits = 0;
  /// The name of the value: "min:loss". If the value lowers the rate, it begins
  /// with the input that has the rate: "rate:min:loss". Empty in checkpoints of
  /// earlier versions.
  std::string by = {};
};

/// The progress of a training.
struct TrainingPosition {
  /// Steps that are done.
  int64_t step = 0;
  /// The number of the epoch that goes on, from 0, and the number of its
  /// batches that are done.
  int64_t epoch = 0;
  int64_t batch = 0;
  /// The properties of the training, by name: "optimizer", "data" and so on.
  /// They must be the same when the training is resumed.
  std::map<std::string, std::string> identity;
  /// The best value so far of the metric that chooses `best.safetensors`, and
  /// the name of the metric: "min:loss".
  std::optional<double> best;
  std::string bestBy = {};
  /// The last step after which there was a validation.
  int64_t validated = 0;
  /// The progress of the value that ends training early and of the value that
  /// lowers the rate, and the factor by which the rate is multiplied.
  MetricProgress early = {}, plateau = {};
  double plateauFactor = 1;
  /// The result of `StepReports::curveState`; empty if no curve is drawn.
  std::string curves = {};
};

struct CheckpointOptions {
  /// The folder, which is created if it does not exist.
  std::string folder;
  /// The number of latest checkpoints that are kept; 0: all.
  int64_t keep = 3;
  /// Receives the error of each checkpoint that cannot be written, at once, on
  /// the thread that writes.
  std::function<void(const Status &)> onFailure = {};
};

/// The checkpoints in one folder: `step-00000100.safetensors` of step 100, and
/// `best.safetensors`. A file appears as a whole or not at all, also if the
/// process is killed. As long as this object lives, no other object can be
/// opened for the folder.
class Checkpoints {
public:
  /// Opens the folder, and removes the incomplete files of a killed process.
  static StatusOr<std::unique_ptr<Checkpoints>>
  open(const CheckpointOptions &options);

  /// Waits until the last checkpoint is on the disk.
  ~Checkpoints();
  Checkpoints(const Checkpoints &) = delete;
  Checkpoints &operator=(const Checkpoints &) = delete;

  /// The file of the latest step; empty if there is none.
  StatusOr<std::string> latest() const;
  /// The position of the latest checkpoint. It is an error if there is none, if
  /// it is damaged, or if it has other variables than `session`.
  StatusOr<TrainingPosition> check(const Session &session) const;
  /// Reads the position of the latest checkpoint like `check`, and sets all
  /// variables of `session` from the checkpoint. After an error the variables
  /// are as before.
  StatusOr<TrainingPosition> restore(Session &session) const;

  /// The position that `best.safetensors` has; nothing if there is no such
  /// file. It is an error if the file cannot be read, because it may be better
  /// than the checkpoint that would replace it. Waits for the last checkpoint.
  StatusOr<std::optional<TrainingPosition>> best() const;

  /// Lets `save` accept variables that are not finite in `session` now, such as
  /// a running minimum that starts at infinity.
  Status acceptNonFinite(const Session &session);
  /// Copies the variables and returns. A thread writes the file while training
  /// goes on. If it still writes the checkpoint before, this waits. `isBest`
  /// makes it `best.safetensors` as well. If the file cannot be written, all
  /// checkpoints that were complete before remain. Variables that are not
  /// finite are an error, and nothing is written.
  Status save(const Session &session, const TrainingPosition &position,
              bool isBest = false);
  /// Waits until everything is on the disk. Returns an error if the last
  /// checkpoint could not be written. Also returns an error if the last
  /// checkpoint that was to be the best could not be written.
  Status finish();

private:
  class Writer;
  explicit Checkpoints(std::unique_ptr<Writer> writer);
  std::unique_ptr<Writer> writer;
};

} // namespace weir

#endif // WEIR_TRAINING_CHECKPOINTS_H
