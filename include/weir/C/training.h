//===- training.h - Training in C ---------------------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Trains a model on files or on arrays. These functions are in libWeirTraining.
// What weir.h says on errors, ownership, threads and compatibility holds here,
// too. docs/training-c.md shows a whole program.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_TRAINING_H
#define WEIR_C_TRAINING_H

#include "weir/C/weir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A value by its name. Never changes.
typedef struct weir_named_value {
  const char *name;
  double value;
} weir_named_value;

/// The results of a step. Functions fill in as much as `size` has room for. The
/// arrays and pointers are valid until the next step.
typedef struct weir_step {
  size_t size;
  /// The numbers of the step and of its epoch, both counted from 1.
  int64_t step;
  int64_t epoch;
  /// The number of examples of the batch, and the time of the step with the
  /// waiting for data.
  int64_t examples;
  uint64_t time_ns;
  /// The loss and then the metrics. There are no values if no step was made.
  /// That happens if no step is left. It also happens if a resumed training
  /// makes up for a missing validation, and then calls the callback.
  const weir_named_value *values;
  size_t num_values;
  /// The learning rate; null if it is not known, or is one of the values.
  const double *rate;
  /// The values of the validation after the step; none if there was no
  /// validation.
  const weir_named_value *validation;
  size_t num_validation;
  /// Whether the training ends with this step.
  bool is_last;
  uint8_t reserved[7];
} weir_step;

/// The callback after each step, on the thread that trains. By then, the step
/// is reported and validated, but its checkpoint is not written. The callback
/// returns whether training goes on: false ends it as `weir_trainer_stop` does.
/// It may get and set variables. It must not step, run or free the trainer,
/// throw, or leave by longjmp.
typedef bool (*weir_on_step)(void *context, const weir_step *step);

/// The treatment of the last examples of an epoch if they are fewer than a
/// batch.
typedef int32_t weir_last_batch;
enum {
  /// They are a smaller batch, for which the entry has to be compiled.
  WEIR_LAST_KEEP = 0,
  /// They are left out of this epoch.
  WEIR_LAST_DROP = 1,
  /// Rows of zeros fill the batch; `mask` of the options is needed.
  WEIR_LAST_PAD = 2
};

typedef struct weir_trainer_options {
  size_t size;
  /// The entry of a step; null: "train". It must assign a variable.
  const char *entry;
  /// The examples, as columns of files: "x=train.npz:images,y=train.npz:labels"
  /// (docs/data.md). If this is null, the examples are in `columns`. These are
  /// arrays whose first dim counts examples, and they are copied.
  const char *data;
  const weir_named_tensor *columns;
  size_t num_columns;
  /// Changes of columns, such as "x=scale:255". They apply to the validation
  /// data, too.
  const char *const *maps;
  size_t num_maps;
  /// Inputs that are the same in all steps, such as a rate. They are copied.
  const weir_named_tensor *inputs;
  size_t num_inputs;
  /// The entry for the validation, and its data. A null entry is "validate".
  /// There is no validation if both are null.
  const char *validation_entry;
  const char *validation_data;
  /// The number of passes through the data; 0: one.
  int64_t epochs;
  /// Training ends after this many steps; 0: it ends after the epochs.
  int64_t steps;
  /// Steps from one validation to the next; 0: one after each epoch.
  int64_t validate_every;
  /// The examples of a batch; 0: as many as the entry is compiled for.
  int64_t batch_size;
  /// The seed of the order of examples, if they are shuffled.
  uint64_t seed;
  bool shuffle;
  /// Print no progress to standard error.
  bool quiet;
  /// Go on from the latest checkpoint of the folder, if it has one.
  bool resume;
  /// Keep all checkpoints, not the latest three.
  bool keep_checkpoints;
  weir_last_batch last;
  /// A folder for checkpoints; null: none.
  const char *checkpoint_folder;
  /// Steps from one checkpoint to the next; 0: one after each epoch.
  int64_t checkpoint_every;
  /// The value of the validation that chooses `best.safetensors`, "min:loss" or
  /// "max:accuracy"; null: none.
  const char *best;
  /// A file with a line of JSON for each step; null: none.
  const char *log;
  /// An f32 input that is 1 for examples and 0 for rows of zeros; null: none.
  const char *mask;
  weir_last_batch validation_last;
  uint8_t reserved[4];
  /// Cancels the step or the validation in flight; may be null. The training
  /// then ends with WEIR_CANCELLED and without a checkpoint, and variables that
  /// the step has begun to write have no value until they are set or loaded. If
  /// the error says that a GPU was given up, do not free the trainer. With a
  /// token, short steps take longer.
  const weir_cancel_token *cancel_token;
  /// The callback, which may be null, and its context. Both are used until the
  /// trainer is freed.
  weir_on_step on_step;
  void *context;
} weir_trainer_options;

/// A training of the parameters of a session. Only one thread may use it at a
/// time, but for `weir_trainer_stop`.
typedef struct weir_trainer weir_trainer;

/// Checks all options, opens the data, and goes on from a checkpoint if that is
/// asked for. Nothing is trained yet. Free the trainer before its session.
weir_status weir_trainer_create(weir_session *session,
                                const weir_trainer_options *options,
                                weir_trainer **trainer);

/// Makes one step, with the reports, the validation and the checkpoint that are
/// due. The last step also ends the training. If no step is left, `step` has no
/// values. The caller sets `step->size`; `step` may be null.
weir_status weir_trainer_step(weir_trainer *trainer, weir_step *step);

/// Makes the steps that are left.
weir_status weir_trainer_run(weir_trainer *trainer);

/// Ends the training after the step in flight, with a checkpoint. If no step is
/// in flight, the next call ends the training. May be called by any thread and
/// by a signal handler. Null is ignored.
void weir_trainer_stop(weir_trainer *trainer);

/// How a training has ended.
typedef int32_t weir_training_end;
enum {
  /// The training has not ended.
  WEIR_TRAINING_GOES_ON = 0,
  WEIR_TRAINING_COMPLETE = 1,
  /// `weir_trainer_stop` was called, or the callback returned false.
  WEIR_TRAINING_STOPPED = 2,
  WEIR_TRAINING_CANCELLED = 3,
  /// A loss or a variable is NaN or infinite.
  WEIR_TRAINING_NON_FINITE = 4,
  /// The steps have ended well, but the last checkpoint could not be written.
  WEIR_TRAINING_UNSAVED = 5,
  /// A step or a validation failed.
  WEIR_TRAINING_FAILED = 6
};

/// The results of a training so far. Functions fill in as much as `size` has
/// room for.
typedef struct weir_training_summary {
  size_t size;
  /// The numbers of steps and of epochs that are done, and the step from which
  /// training went on. That step is 0 if the training began anew.
  int64_t step;
  int64_t epoch;
  int64_t steps_before;
  /// The number of examples so far. Then the time of all steps with the waiting
  /// for data, the time of this waiting alone, and the number of steps that
  /// waited.
  int64_t examples;
  uint64_t time_ns;
  uint64_t data_wait_ns;
  int64_t data_waits;
  /// The values of the last step and of the last validation. They are valid
  /// until the next step.
  const weir_named_value *values;
  size_t num_values;
  const weir_named_value *validation;
  size_t num_validation;
  weir_training_end end;
  uint8_t reserved[4];
} weir_training_summary;

/// The caller sets `summary->size`.
weir_status weir_trainer_summary(const weir_trainer *trainer,
                                 weir_training_summary *summary);

/// Writes all variables as a safetensors file. It is an error if a variable
/// became NaN or infinite in the training.
weir_status weir_trainer_save_variables(const weir_trainer *trainer,
                                        const char *path);

void weir_trainer_free(weir_trainer *trainer);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WEIR_C_TRAINING_H
