//===- train.cpp - Trains a network on digits -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: train-digits MODEL.weir FOLDER
// The model is digits.mlir. prepare.py writes the digits into FOLDER, where the
// program leaves checkpoints. docs/training-cpp.md explains it.
//
//===----------------------------------------------------------------------===//

#include "weir/Data/DataText.h"
#include "weir/Runtime/Session.h"
#include "weir/Training/Trainer.h"

#include <cstdio>
#include <string>

using namespace weir;

/// The digits in `file`, with the gray values from 0 to 1.
static StatusOr<Dataset> openDigits(const std::string &file) {
  WEIR_ASSIGN_OR_RETURN(
      const Dataset bytes,
      parseDataset("image=" + file + ":images,label=" + file + ":labels"));
  WEIR_ASSIGN_OR_RETURN(const ColumnMap map, parseColumnMap("image=scale:255"));
  return bytes.map(map.column, map.steps);
}

static void print(const char *what, const StepResult &step,
                  std::span<const NamedScalar> values) {
  std::printf("%s %lld:", what, static_cast<long long>(step.step));
  for (const NamedScalar &value : values)
    std::printf(" %s %.3f", value.name.c_str(), value.value);
  std::printf("\n");
}

/// Prints validations. Training ends when nine of ten digits are right.
static StatusOr<bool> watch(const StepResult &step) {
  if (step.validation.empty())
    return true;
  print("validation behind step", step, step.validation);
  for (const NamedScalar &value : step.validation)
    if (value.name == "accuracy" && value.value > 0.9)
      return false;
  return true;
}

static StatusOr<TrainerOptions> optionsFor(const std::string &folder) {
  TrainerOptions options;
  options.epochs = 10;
  options.loader.shuffle = true;
  options.loader.seed = 1;
  options.loader.last = LastBatch::Drop;
  options.validationEntry = "validate";
  WEIR_ASSIGN_OR_RETURN(options.validation, openDigits(folder + "/test.npz"));
  options.checkpoints = CheckpointOptions{folder + "/checkpoints"};
  options.best = BestMetric{"accuracy", /*isHigher=*/true};
  options.onStep = watch;
  options.reports.progress = StepReportOptions::Progress::None;
  options.reports.log = folder + "/log.jsonl";
  return options;
}

static Status train(const std::string &model, const std::string &folder) {
  WEIR_ASSIGN_OR_RETURN(const auto session, Session::load(model));
  WEIR_ASSIGN_OR_RETURN(Dataset digits, openDigits(folder + "/train.npz"));
  WEIR_ASSIGN_OR_RETURN(TrainerOptions options, optionsFor(folder));
  WEIR_ASSIGN_OR_RETURN(
      Trainer trainer,
      Trainer::create(*session, std::move(digits), std::move(options)));
  // The first steps one by one, and then all that are left.
  for (int i = 0; i < 3; ++i) {
    WEIR_ASSIGN_OR_RETURN(const StepResult step, trainer.step());
    print("step", step, step.values);
  }
  WEIR_RETURN_IF_ERROR(trainer.run());
  const TrainingSummary &summary = trainer.summary();
  std::printf("%lld steps on %lld examples\n",
              static_cast<long long>(summary.position.step),
              static_cast<long long>(summary.examples));
  return trainer.saveVariables(folder + "/trained.safetensors");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: train-digits MODEL.weir FOLDER\n");
    return 2;
  }
  const Status status = train(argv[1], argv[2]);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "train-digits: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
