//===- TrainerTest.cpp - Tests of training loops --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Trainer.h"

#include "TrainerFixture.h"
#include "weir/Support/Trace.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

using namespace weir;
using namespace weir::test;

namespace {

/// The waits for data that `trace` shows.
int64_t countWaits(const Trace &trace) {
  const std::string json = trace.toChromeJson();
  int64_t count = 0;
  for (size_t at = json.find("wait for data"); at != json.npos;
       at = json.find("wait for data", at + 1))
    ++count;
  return count;
}

std::string refusal(Session &session, TrainerOptions options) {
  auto trainer = Trainer::create(session, examples(4), std::move(options));
  return std::string(trainer.status().message());
}

// A training that cannot begin leaves the variables alone, whatever it could
// have resumed.
TEST_F(TrainerTest, RefusalChangesNothing) {
  const auto options = [&](int64_t epochs, std::string log) {
    TrainerOptions options = quiet();
    options.checkpoints = {root, 3};
    options.resume = true;
    options.epochs = epochs;
    options.reports.log = std::move(log);
    return options;
  };
  auto first = steps();
  const float one = 1;
  const std::vector<int64_t> dims = {1};
  ASSERT_TRUE(
      first->setVariable("w", {DType::F32, dims, &one, sizeof(one)}).isOk());
  ASSERT_TRUE(
      Trainer::create(*first, examples(4), options(1, ""))->run().isOk());

  auto second = steps();
  const std::string log = root + "/none/log.jsonl";
  EXPECT_THAT(refusal(*second, options(2, log)), testing::HasSubstr(log));
  EXPECT_EQ(second->getVariable("w")->values<float>()[0], 0);

  auto resumed = Trainer::create(*second, examples(4), options(2, ""));
  ASSERT_TRUE(resumed.isOk()) << resumed.status().message();
  EXPECT_EQ(second->getVariable("w")->values<float>()[0], 1);
  EXPECT_EQ(resumed->summary().stepsBefore, 4);
}

// A training that cannot be resumed leaves the reports of an earlier one as
// they are. The variables of a stopped session cannot be loaded.
TEST_F(TrainerTest, RefusalKeepsReports) {
  const std::string log = root + "/log.jsonl", events = root + "/events";
  const auto options = [&](int64_t epochs, std::string eventFolder) {
    TrainerOptions options = quiet();
    options.checkpoints = {root, 3};
    options.resume = true;
    options.epochs = epochs;
    options.reports.log = log;
    options.reports.eventFolder = std::move(eventFolder);
    return options;
  };
  const auto readLog = [&] {
    std::ifstream file(log);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  auto session = steps();
  ASSERT_TRUE(
      Trainer::create(*session, examples(4), options(1, ""))->run().isOk());
  const std::string before = readLog();
  EXPECT_THAT(before, testing::HasSubstr("\"step\":4,"));

  session->stop();
  EXPECT_THAT(refusal(*session, options(2, events)),
              testing::HasSubstr("the session was stopped"));
  EXPECT_EQ(readLog(), before);
  EXPECT_FALSE(std::filesystem::exists(events));
}

// A run that draws no curve keeps none in its checkpoints. So the next one
// draws the steps in between from the log.
TEST_F(TrainerTest, CurvesHaveAllLoggedSteps) {
  const std::string page = root + "/curve.html";
  const auto read = [](const std::string &path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  auto session = steps();
  for (const int64_t epochs : {1, 2, 3}) {
    TrainerOptions options = quiet();
    options.checkpoints = {root + "/checkpoints", 3};
    options.resume = epochs > 1;
    options.epochs = epochs;
    options.reports.log = root + "/log.jsonl";
    if (epochs != 2)
      options.reports.curves = {page};
    auto trainer = Trainer::create(*session, examples(4), std::move(options));
    ASSERT_TRUE(trainer.isOk()) << trainer.status().message();
    ASSERT_TRUE(trainer->run().isOk());
  }
  const std::string drawn = read(page);
  const std::string points = drawn.substr(drawn.find("const curves = "), 400);
  for (int64_t step = 1; step <= 12; ++step)
    EXPECT_THAT(points, testing::HasSubstr("[" + std::to_string(step) + ","));
}

// A best checkpoint that cannot be read may be the better one, so no other one
// replaces it.
TEST_F(TrainerTest, KeepsABestThatCannotBeRead) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  addStep(plan, device, plan.variable({0}, device, "w"));
  plan.beginEntry("validate");
  const uint32_t x = plan.input("x", 1, device);
  plan.on(device).copy("loss", x, plan.output("loss", 1, device));
  auto session = load(plan);
  const auto options = [&](int64_t epochs) {
    TrainerOptions options = quiet();
    options.checkpoints = {root, 3};
    options.resume = true;
    options.epochs = epochs;
    options.validation = examples(2);
    options.validationEntry = "validate";
    options.best = BestMetric{"loss"};
    return options;
  };
  ASSERT_TRUE(Trainer::create(*session, examples(4), options(1))->run().isOk());

  const std::string best = root + "/best.safetensors";
  ASSERT_TRUE(std::filesystem::remove(best));
  std::ofstream(best) << "damaged";
  EXPECT_THAT(refusal(*session, options(2)),
              testing::StartsWith("cannot tell how good '" + best + "' is: "));
  EXPECT_EQ(std::filesystem::file_size(best), 7u);
}

// What assigns nothing cannot be a step. The error names what can.
TEST_F(TrainerTest, StepsAssignVariables) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  const uint32_t x = plan.input("x", 1, device);
  plan.on(device).copy("loss", x, plan.output("loss", 1, device));
  auto session = load(plan);
  EXPECT_EQ(refusal(*session, quiet()),
            "entry 'main' trains nothing, because it assigns no parameter; add "
            "weir.minimize behind its loss, or let graph-compile --train add "
            "an entry that trains");

  plan.beginEntry("step");
  addStep(plan, device, plan.variable({0}, device, "w"));
  session = load(plan);
  EXPECT_EQ(refusal(*session, quiet()),
            "entry 'main' trains nothing, because it assigns no parameter; "
            "name an entry that does with TrainerOptions::entry: 'step'");
}

// Errors call options by the names that the user of this interface knows.
TEST_F(TrainerTest, ErrorsNameMembers) {
  auto session = steps();
  const auto saving = [&](OptionNames names) {
    TrainerOptions options = quiet();
    options.checkpoints = {root, 3};
    options.names = names;
    return options;
  };
  ASSERT_TRUE(Trainer::create(*session, examples(4), saving(OptionNames::Cpp))
                  ->run()
                  .isOk());
  const std::string left = "go on from it with ";
  EXPECT_THAT(refusal(*session, saving(OptionNames::Cpp)),
              testing::HasSubstr(left + "TrainerOptions::resume, "));
  EXPECT_THAT(refusal(*session, saving(OptionNames::Flags)),
              testing::HasSubstr(left + "--resume, "));

  TrainerOptions options = quiet();
  options.validationEntry = "main";
  EXPECT_EQ(refusal(*session, std::move(options)),
            "there is no data for the validation by entry 'main'; give it with "
            "TrainerOptions::validation");

  options = quiet();
  options.loader.last = LastBatch::Pad;
  EXPECT_EQ(refusal(*session, std::move(options)),
            "LoaderOptions::last = LastBatch::Pad: padding would count as "
            "examples; if the entry has an input that tells them apart, name "
            "it with LoaderOptions::maskColumn, or else leave the last "
            "examples out with LoaderOptions::last = LastBatch::Drop");

  options = quiet();
  options.best = BestMetric{"loss"};
  EXPECT_EQ(refusal(*session, std::move(options)),
            "the best checkpoint needs a folder; name it with "
            "TrainerOptions::checkpoints");
}

// Errors about columns name the members that give or convert them.
TEST_F(TrainerTest, ErrorsOfColumnsNameMembers) {
  auto session = steps();
  const auto refusalOf = [&](std::string name) {
    std::vector<NamedColumn> columns;
    columns.push_back({std::move(name), *HostTensor::zeros(DType::I64, {4})});
    auto trainer = Trainer::create(
        *session, *Dataset::fromTensors(std::move(columns)), quiet());
    return std::string(trainer.status().message());
  };
  EXPECT_EQ(refusalOf("z"),
            "input 'x' of entry 'main' is no column of the data and has no "
            "value; the columns are 'z': name one so, as 'x=FILE' does, or "
            "'x=FILE:z' for one of several in a file, or give it a value with "
            "TrainerOptions::inputs");
  EXPECT_THAT(refusalOf("x"),
              testing::EndsWith("; Dataset::map 'x=cast:f32' converts the "
                                "numbers"));
}

// Another value of an input is accepted by a member, which C does not have.
TEST_F(TrainerTest, OtherInputsNeedOverride) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  addStep(plan, device, plan.variable({0}, device, "w"));
  const uint32_t rate = plan.input("rate", 1, device);
  plan.on(device).copy("rates", rate, plan.output("rates", 1, device));
  auto session = load(plan);
  const auto options = [&](float value, OptionNames names) {
    TrainerOptions options = quiet();
    options.checkpoints = {root, 3};
    options.resume = true;
    options.names = names;
    options.inputs.push_back(
        {"rate", *HostTensor::copyOf(DType::F32, {1},
                                     std::as_bytes(std::span(&value, 1)))});
    return options;
  };
  ASSERT_TRUE(
      Trainer::create(*session, examples(4), options(1, OptionNames::Cpp))
          ->run()
          .isOk());
  EXPECT_THAT(refusal(*session, options(2, OptionNames::Cpp)),
              testing::EndsWith("; go on with the new value with "
                                "TrainerOptions::mayOverride"));
  EXPECT_THAT(refusal(*session, options(2, OptionNames::Flags)),
              testing::EndsWith("; go on with the new value with --override"));
  EXPECT_THAT(refusal(*session, options(2, OptionNames::C)),
              testing::EndsWith("; use the same model, data and options, or "
                                "begin a new training in another folder"));
}

// A loss that is not finite is an error with a repair. Updates may be its cause
// only if there were any.
TEST_F(TrainerTest, NonFiniteLossesNameRepairs) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string search = "; find the first op whose result is not finite "
                             "with SessionOptions::checkNumerics";
  const auto errorOf = [&](const std::vector<float> &values) {
    auto session = steps();
    std::vector<NamedColumn> columns;
    columns.push_back(
        {"x",
         *HostTensor::copyOf(DType::F32, {static_cast<int64_t>(values.size())},
                             std::as_bytes(std::span(values)))});
    auto trainer = Trainer::create(
        *session, *Dataset::fromTensors(std::move(columns)), quiet());
    const Status status = trainer->run();
    EXPECT_EQ(trainer->summary().end, TrainingEnd::NonFinite);
    return std::string(status.message());
  };
  EXPECT_EQ(errorOf({infinity, 0}), "step 1: 'loss' is infinite" + search);
  EXPECT_EQ(errorOf({0, -infinity}),
            "step 2: 'loss' is minus infinity; a smaller rate or clipped "
            "gradients (clip_norm) may prevent that" +
                search);
}

// A validation must not train. A variable that no step uses does not matter.
TEST_F(TrainerTest, ValidationsLeaveTrainingAlone) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  addStep(plan, device, plan.variable({0}, device, "w"));
  const uint32_t trained = plan.lastVariable();
  plan.beginEntry("again");
  addStep(plan, device, plan.variableOn(trained));
  plan.beginEntry("count");
  addStep(plan, device, plan.variable({0}, device, "validations"));
  auto session = load(plan);

  const auto refusalOf = [&](const std::string &entry) {
    TrainerOptions options = quiet();
    options.validation = examples(2);
    options.validationEntry = entry;
    return refusal(*session, std::move(options));
  };
  for (const std::string name : {"again", "main"})
    EXPECT_EQ(refusalOf(name),
              "entry '" + name +
                  "' is for validation, but assigns 'w', which entry 'main' "
                  "uses, so it would train on the validation data; name an "
                  "entry with TrainerOptions::validationEntry that computes "
                  "the loss without weir.minimize and other assignments");
  EXPECT_EQ(refusalOf("count"), "");
}

// A reader that alone is twice as fast as the steps keeps hardly any of them
// waiting: the first one, and some where the machine delays the reader. Without
// reading ahead, all 300 would wait.
TEST_F(TrainerTest, FastReadersKeepNoStepWaiting) {
  auto session = steps(Milliseconds(5));
  Trace trace;
  TrainerOptions options = quiet();
  options.trace = &trace;
  options.loader.ahead = 8;
  auto trainer = Trainer::create(*session, examples(300, Milliseconds(2)),
                                 std::move(options));
  ASSERT_TRUE(trainer->run().isOk());
  const TrainingSummary &summary = trainer->summary();
  EXPECT_LE(summary.dataWaits, 60);
  EXPECT_EQ(countWaits(trace), summary.dataWaits);
}

// A slow reader bounds the training, and the summary says so. Without a thread
// that reads ahead, each step waits.
TEST_F(TrainerTest, SlowReadersAreReported) {
  auto session = steps(Milliseconds(5));
  for (const int threads : {0, 1}) {
    Trace trace;
    TrainerOptions options = quiet();
    options.trace = &trace;
    options.loader.threads = threads;
    auto trainer = Trainer::create(*session, examples(20, Milliseconds(20)),
                                   std::move(options));
    ASSERT_TRUE(trainer->run().isOk());
    const TrainingSummary &summary = trainer->summary();
    // Some batches may be read before the training begins.
    EXPECT_GE(summary.seconds, 0.2);
    EXPECT_GE(summary.dataSeconds, 0.1);
    // A step that the machine delays may find its batch ready.
    EXPECT_GE(summary.dataWaits, threads == 0 ? 20 : 15);
    EXPECT_EQ(countWaits(trace), summary.dataWaits);
  }
}

} // namespace
