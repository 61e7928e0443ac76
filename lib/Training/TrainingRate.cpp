//===- TrainingRate.cpp - The learning rate of a training -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingRate.h"

using namespace weir;

void TrainingRate::follow(StepRate given, int64_t runs) {
  fromRuns = std::move(given);
  uncounted = runs;
}

void TrainingRate::own(HostTensor &given) {
  input = &given;
  first = loadFloat(given.type(), given.data(), 0);
}

void TrainingRate::set(const TrainingPosition &position) {
  if (input)
    storeFloat(input->type(), input->data(), 0, lowered(position));
}

double TrainingRate::behind(const TrainingPosition &position) const {
  return fromRuns ? fromRuns->behind(position.step + uncounted)
                  : loadFloat(input->type(), input->data(), 0);
}
