//===- Trainer.cpp - Trains a model on a dataset --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Trainer.h"

#include "NonFiniteSearch.h"
#include "PreparedTraining.h"
#include "TrainingLoop.h"
#include "weir/Runtime/Session.h"

#include <utility>

using namespace weir;

struct Trainer::State {
  PreparedTraining training;
  std::optional<TrainingLoop> loop = {};
};

Trainer::Trainer(std::unique_ptr<State> state) : state(std::move(state)) {}
Trainer::Trainer(Trainer &&other) noexcept = default;
Trainer &Trainer::operator=(Trainer &&other) noexcept = default;
Trainer::~Trainer() = default;

StatusOr<Trainer> Trainer::create(Session &session, Dataset data,
                                  TrainerOptions options) {
  std::unique_ptr<State> state(
      new State{{session, std::move(data), std::move(options)}});
  WEIR_RETURN_IF_ERROR(prepareTraining(state->training));
  state->loop.emplace(state->training);
  return Trainer(std::move(state));
}

Status Trainer::run() { return state->loop->run(); }
StatusOr<StepResult> Trainer::step() { return state->loop->step(); }
void Trainer::stop() noexcept { state->loop->stop(); }

Status Trainer::saveVariables(const std::string &path) const {
  const PreparedTraining &training = state->training;
  WEIR_RETURN_IF_ERROR(training.finite.check(training.session));
  return training.session.saveVariables(path);
}

Status Trainer::findNonFinite(Session &checked, double maxSeconds) {
  const PreparedTraining &training = state->training;
  return searchNonFinite(checked,
                         {training.data, training.options,
                          training.checkpoints.get(), training.summary,
                          state->loop->stopFlag()},
                         maxSeconds);
}

const TrainingSummary &Trainer::summary() const {
  return state->training.summary;
}
