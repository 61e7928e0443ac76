//===- TrainerCalls.cpp - The C API's functions for training ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Handles.h"
#include "TrainingStructs.h"

using namespace weir;
using namespace weir::c;

struct weir_trainer {
  std::optional<Trainer> trainer;
  /// The values of the last step, of the callback, and of the summary.
  ValueArrays ofStep, ofCallback;
  mutable ValueArrays ofSummary;
};

/// A callback that a trainer can call. It calls the callback of `given` with
/// the handle `handle`.
static auto callbackOf(const weir_trainer_options &given,
                       weir_trainer &handle) {
  return [call = given.on_step, context = given.context,
          &handle](const StepResult &result) -> StatusOr<bool> {
    weir_step step = describeStep(result, handle.ofCallback);
    step.size = sizeof(step);
    return call(context, &step);
  };
}

static Status create(weir_session &session, const weir_trainer_options *options,
                     weir_trainer **trainer) {
  weir_trainer_options given;
  WEIR_RETURN_IF_ERROR(readStruct(options, "weir_trainer_options", given));
  WEIR_ASSIGN_OR_RETURN(TrainerOptions read, readTrainerOptions(given));
  WEIR_ASSIGN_OR_RETURN(Dataset data, openData(given));
  WEIR_ASSIGN_OR_RETURN(read.validation, openValidationData(given, data));
  auto handle = std::make_unique<weir_trainer>();
  if (given.on_step)
    read.onStep = callbackOf(given, *handle);
  WEIR_ASSIGN_OR_RETURN(
      handle->trainer,
      Trainer::create(*session.session, std::move(data), std::move(read)));
  *trainer = handle.release();
  return Status::ok();
}

weir_status weir_trainer_create(weir_session *session,
                                const weir_trainer_options *options,
                                weir_trainer **trainer) {
  return runCall("weir_trainer_create", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(options, "options"));
    WEIR_RETURN_IF_ERROR(checkNotNull(trainer, "trainer"));
    return create(*session, options, trainer);
  });
}

weir_status weir_trainer_step(weir_trainer *trainer, weir_step *step) {
  return runCall("weir_trainer_step", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trainer, "trainer"));
    // A wrong size is refused before a step is made.
    if (step)
      WEIR_RETURN_IF_ERROR(writeStruct(weir_step(), "weir_step", step));
    WEIR_ASSIGN_OR_RETURN(const StepResult result, trainer->trainer->step());
    return step ? writeStruct(describeStep(result, trainer->ofStep),
                              "weir_step", step)
                : Status::ok();
  });
}

weir_status weir_trainer_run(weir_trainer *trainer) {
  return runCall("weir_trainer_run", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trainer, "trainer"));
    return trainer->trainer->run();
  });
}

void weir_trainer_stop(weir_trainer *trainer) {
  if (trainer)
    trainer->trainer->stop();
}

weir_status weir_trainer_summary(const weir_trainer *trainer,
                                 weir_training_summary *summary) {
  return runCall("weir_trainer_summary", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trainer, "trainer"));
    WEIR_RETURN_IF_ERROR(checkNotNull(summary, "summary"));
    return writeStruct(
        describeSummary(trainer->trainer->summary(), trainer->ofSummary),
        "weir_training_summary", summary);
  });
}

weir_status weir_trainer_save_variables(const weir_trainer *trainer,
                                        const char *path) {
  return runCall("weir_trainer_save_variables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trainer, "trainer"));
    WEIR_RETURN_IF_ERROR(checkNotNull(path, "path"));
    return trainer->trainer->saveVariables(path);
  });
}

void weir_trainer_free(weir_trainer *trainer) { delete trainer; }
