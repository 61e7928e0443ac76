//===- TrainerStepsTest.cpp - Tests of single steps and callbacks ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainerFixture.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>

using namespace weir;
using namespace weir::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A session with a step, "main", and a validation.
std::unique_ptr<Session> stepsWithValidation() {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  addStep(plan, device, plan.variable({0}, device, "w"));
  plan.beginEntry("validate");
  const uint32_t x = plan.input("x", 1, device);
  plan.on(device).copy("error", x, plan.output("error", 1, device));
  return load(plan);
}

/// Ten numbers whose sum depends on their order.
Dataset numbers() {
  auto values = *HostTensor::zeros(DType::F32, {10});
  for (int64_t i = 0; i < 10; ++i)
    storeFloat(DType::F32, values.data(), i, 0.1 * static_cast<double>(i * i));
  std::vector<NamedColumn> columns;
  columns.push_back({"x", std::move(values)});
  return *Dataset::fromTensors(std::move(columns));
}

/// The contents of the files of a folder by name. A checkpoint's are its
/// variables and its position.
std::map<std::string, std::string> read(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(file.path());
    files[file.path().filename()] =
        std::string(std::istreambuf_iterator<char>(stream), {});
  }
  return files;
}

std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &[name, content] : read(folder))
    if (name.ends_with(".safetensors"))
      names.push_back(name);
  return names;
}

class TrainerStepsTest : public TrainerTest {
protected:
  TrainerStepsTest() : session(stepsWithValidation()) {}

  /// Two shuffled epochs with checkpoints in `folder` and validations.
  TrainerOptions shuffled(const std::string &folder) {
    TrainerOptions options = quiet();
    options.loader.shuffle = true;
    options.epochs = 2;
    options.validation = numbers();
    options.validationEntry = "validate";
    options.validateEvery = 3;
    options.checkpoints = {root + "/" + folder, 0};
    options.checkpointEvery = 4;
    return options;
  }

  Trainer make(TrainerOptions options) {
    EXPECT_TRUE(setVariable(*session, "w", {0}).isOk());
    auto trainer = Trainer::create(*session, numbers(), std::move(options));
    EXPECT_TRUE(trainer.isOk()) << trainer.status().message();
    return *std::move(trainer);
  }

  std::unique_ptr<Session> session;
};

// Single steps, and single steps before a run, do what a run does: the same
// values, checkpoints and validations at the same steps.
TEST_F(TrainerStepsTest, StepsAreThoseOfARun) {
  ASSERT_TRUE(make(shuffled("run")).run().isOk());
  const Floats trained = getVariable(*session, "w");
  const auto files = read(root + "/run");
  EXPECT_THAT(namesIn(root + "/run"), ElementsAre("step-00000004.safetensors",
                                                  "step-00000008.safetensors",
                                                  "step-00000012.safetensors",
                                                  "step-00000016.safetensors",
                                                  "step-00000020.safetensors"));

  for (const int64_t single : {7, 100}) {
    const std::string folder = std::to_string(single);
    Trainer trainer = make(shuffled(folder));
    std::vector<int64_t> validated;
    int64_t count = 0;
    for (bool isLast = false; !isLast && count < single; ++count) {
      const auto step = trainer.step();
      ASSERT_TRUE(step.isOk()) << step.status().message();
      EXPECT_EQ(step->step, count + 1);
      EXPECT_EQ(step->epoch, count / 10 + 1);
      EXPECT_EQ(step->values.front().value, trainer.summary().values[0].value);
      if (!step->validation.empty())
        validated.push_back(step->step);
      isLast = step->isLast;
    }
    EXPECT_EQ(count, std::min<int64_t>(single, 20));
    if (single > 20) {
      EXPECT_THAT(validated, ElementsAre(3, 6, 9, 12, 15, 18, 20));
    }
    ASSERT_TRUE(trainer.run().isOk());
    EXPECT_EQ(trainer.summary().end, TrainingEnd::Complete);
    EXPECT_EQ(getVariable(*session, "w"), trained);
    EXPECT_EQ(read(root + "/" + folder), files);

    // A training that has ended stays so.
    const auto after = trainer.step();
    ASSERT_TRUE(after.isOk());
    EXPECT_TRUE(after->isLast);
    EXPECT_THAT(after->values, IsEmpty());
  }
}

// The callback sees each step when it is validated, and before its checkpoint
// is written.
TEST_F(TrainerStepsTest, CallbacksSeeEachStep) {
  TrainerOptions options = shuffled("told");
  int64_t count = 0, last = 0;
  std::vector<int64_t> validated, saved;
  options.onStep = [&](const StepResult &step) {
    EXPECT_EQ(step.step, ++count);
    EXPECT_EQ(step.epoch, (count - 1) / 10 + 1);
    EXPECT_EQ(step.examples, 1);
    EXPECT_EQ(step.values.size(), 1u);
    EXPECT_EQ(step.values[0].name, "loss");
    EXPECT_FALSE(step.rate);
    if (!step.validation.empty()) {
      EXPECT_EQ(step.validation[0].name, "error");
      EXPECT_NEAR(step.validation[0].value, 2.85, 1e-6);
      validated.push_back(step.step);
    }
    if (step.isLast)
      last = step.step;
    saved.push_back(static_cast<int64_t>(namesIn(root + "/told").size()));
    return true;
  };
  ASSERT_TRUE(make(std::move(options)).run().isOk());
  EXPECT_EQ(count, 20);
  EXPECT_EQ(last, 20);
  EXPECT_THAT(validated, ElementsAre(3, 6, 9, 12, 15, 18, 20));
  // The thread that writes may be a step behind.
  EXPECT_EQ(saved[3], 0);
  EXPECT_LE(saved[19], 4);
}

// A callback that returns false stops the training with a checkpoint, from
// which it goes on to the same bits.
TEST_F(TrainerStepsTest, CallbacksStop) {
  ASSERT_TRUE(make(shuffled("run")).run().isOk());
  const Floats trained = getVariable(*session, "w");

  TrainerOptions options = shuffled("stopped");
  options.onStep = [](const StepResult &step) { return step.step < 7; };
  {
    Trainer trainer = make(std::move(options));
    ASSERT_TRUE(trainer.run().isOk());
    EXPECT_EQ(trainer.summary().end, TrainingEnd::Stopped);
    EXPECT_EQ(trainer.summary().position.step, 7);
  }
  options = shuffled("stopped");
  options.resume = true;
  Trainer trainer = make(std::move(options));
  EXPECT_EQ(trainer.summary().stepsBefore, 7);
  ASSERT_TRUE(trainer.run().isOk());
  EXPECT_EQ(getVariable(*session, "w"), trained);
}

// An error of a callback ends the training. The step itself is complete, so
// there is a checkpoint of it.
TEST_F(TrainerStepsTest, ErrorsOfCallbacksLoseNothing) {
  const auto errorOf = [&](const std::string &folder, auto onStep) {
    TrainerOptions options = shuffled(folder);
    options.onStep = [&](const StepResult &step) -> StatusOr<bool> {
      if (step.step == 6)
        return onStep();
      return true;
    };
    Trainer trainer = make(std::move(options));
    const Status status = trainer.run();
    EXPECT_EQ(trainer.summary().end, TrainingEnd::Failed);
    EXPECT_THAT(
        namesIn(root + "/" + folder),
        ElementsAre("step-00000004.safetensors", "step-00000006.safetensors"));
    EXPECT_EQ(trainer.step().status().message(), status.message());
    return std::string(status.message());
  };
  EXPECT_EQ(errorOf("error", [] { return notFound("the queue is gone"); }),
            "onStep of step 6: the queue is gone");
  EXPECT_EQ(errorOf("thrown",
                    []() -> Status { throw std::runtime_error("no disk"); }),
            "onStep of step 6: an exception in the callback: no disk");
}

// What a callback assigns is part of the checkpoint of its step.
TEST_F(TrainerStepsTest, CheckpointsHaveWhatCallbacksAssign) {
  TrainerOptions options = shuffled("clipped");
  options.onStep = [&](const StepResult &step) -> StatusOr<bool> {
    WEIR_RETURN_IF_ERROR(setVariable(*session, "w", {0.5}));
    return step.step < 8;
  };
  ASSERT_TRUE(make(std::move(options)).run().isOk());
  options = shuffled("clipped");
  options.resume = true;
  make(std::move(options));
  EXPECT_THAT(getVariable(*session, "w"), ElementsAre(0.5));
}

// A training that is stopped between two steps ends with the next call, which
// makes no step.
TEST_F(TrainerStepsTest, StopsBetweenSteps) {
  Trainer trainer = make(shuffled("between"));
  for (int i = 0; i < 5; ++i)
    ASSERT_FALSE(trainer.step()->isLast);
  trainer.stop();
  const auto last = trainer.step();
  ASSERT_TRUE(last.isOk());
  EXPECT_TRUE(last->isLast);
  EXPECT_EQ(last->step, 0);
  EXPECT_THAT(last->values, IsEmpty());
  EXPECT_EQ(trainer.summary().end, TrainingEnd::Stopped);
  EXPECT_THAT(
      namesIn(root + "/between"),
      ElementsAre("step-00000004.safetensors", "step-00000005.safetensors"));
  EXPECT_TRUE(trainer.run().isOk());
}

// A validation that was broken off by a stop is made good by the training that
// goes on, and the callback is told of it.
TEST_F(TrainerStepsTest, TellsOfAValidationThatIsMadeGood) {
  // Threads that read ahead call the step, too.
  std::atomic<Trainer *> stopped = nullptr;
  CustomStep step;
  step.apply = [&](std::span<const std::byte> from, std::span<std::byte> to) {
    std::ranges::copy(from, to.begin());
    if (Trainer *trainer = stopped)
      trainer->stop();
    return Status::ok();
  };
  const auto again = [&] {
    TrainerOptions options = shuffled("good");
    options.validation = *numbers().map("x", {step});
    return options;
  };
  {
    Trainer first = make(again());
    stopped = &first;
    ASSERT_TRUE(first.run().isOk());
    EXPECT_EQ(first.summary().position.step, 3);
    stopped = nullptr;
  }
  TrainerOptions options = again();
  options.resume = true;
  std::vector<StepResult> told;
  size_t numValidated = 0;
  options.onStep = [&](const StepResult &result) {
    numValidated += told.empty() ? result.validation.size() : 0;
    told.push_back(result);
    return true;
  };
  Trainer second = make(std::move(options));
  ASSERT_TRUE(second.run().isOk());
  ASSERT_EQ(told.size(), 18u);
  EXPECT_EQ(told[0].step, 3);
  EXPECT_EQ(told[0].epoch, 1);
  EXPECT_TRUE(told[0].values.empty());
  EXPECT_EQ(numValidated, 1u);
  EXPECT_EQ(told[1].step, 4);
}

// The error of a callback is told even if the checkpoint of its step is
// refused, too.
TEST_F(TrainerStepsTest, ErrorsOfCallbacksAreNotLost) {
  TrainerOptions options = shuffled("refused");
  options.onStep = [&](const StepResult &) -> StatusOr<bool> {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(setVariable(*session, "w", {nan}).isOk());
    return invalidArgument("the disk for plots is full");
  };
  const Status status = make(std::move(options)).run();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("; onStep of step 1: the disk for plots is full"));
}

// A step that takes long is not waited for if the training is cancelled, and
// nothing of it is saved.
TEST_F(TrainerStepsTest, CancelEndsAStepInFlight) {
  auto slow = steps(Milliseconds(300));
  TrainerOptions options = quiet();
  options.checkpoints = {root + "/cancelled", 0};
  CancelToken token;
  options.cancelToken = token;
  std::atomic<int64_t> done = 0;
  options.onStep = [&](const StepResult &step) {
    done = step.step;
    return true;
  };
  auto trainer = Trainer::create(*slow, examples(100), std::move(options));
  ASSERT_TRUE(trainer.isOk());
  std::thread other([&] {
    while (done < 1)
      std::this_thread::sleep_for(Milliseconds(1));
    std::this_thread::sleep_for(Milliseconds(20));
    token.cancel();
  });
  const Status status = trainer->run();
  other.join();
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("step 2: "));
  EXPECT_EQ(trainer->summary().end, TrainingEnd::Cancelled);
  EXPECT_EQ(trainer->summary().position.step, 1);
  EXPECT_THAT(namesIn(root + "/cancelled"), IsEmpty());
}

// The best checkpoint is the one of the validated step, as without a callback.
TEST_F(TrainerStepsTest, CallbacksLeaveTheBestCheckpoint) {
  TrainerOptions options = shuffled("best");
  options.best = BestMetric{"error"};
  options.onStep = [](const StepResult &) { return true; };
  ASSERT_TRUE(make(std::move(options)).run().isOk());
  const auto files = read(root + "/best");
  EXPECT_EQ(files.at("best.safetensors"),
            files.at("step-00000003.safetensors"));
}

} // namespace
