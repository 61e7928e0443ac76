//===- CTrainerTest.cpp - Tests of training by the C API --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/PlanBuilder.h"
#include "TrainerFixture.h"
#include "weir/C/training.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <utility>

using namespace weir;
using namespace weir::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// A model that returns and assigns `loss` = `x` + `w`, where `w` is 0 at
/// first. Its validation returns `error` = 2 `x`.
std::vector<std::byte> model() {
  AttrMap sum;
  sum.set("spec", "...,...->...");
  sum.set("expression", "a + b");
  sum.set("combiner", "none");
  PlanBuilder plan;
  plan.entry().name = "train";
  const uint16_t device = plan.device("cpu:0");
  uint32_t x = plan.hostInput("x", 1);
  const uint32_t loss = plan.hostOutput("loss", 1);
  const uint32_t w = plan.variable({0}, device, "w");
  plan.on(device).launch("add", "reference", {x, w}, {loss}, sum);
  plan.copy("assign", loss, w);
  plan.beginEntry("validate");
  x = plan.hostInput("x", 1);
  const uint32_t error = plan.hostOutput("error", 1);
  plan.on(device).launch("twice", "reference", {x, x}, {error}, sum);
  return plan.bytes();
}

template <typename Struct> Struct sized() {
  Struct zeroed = {};
  zeroed.size = sizeof(zeroed);
  return zeroed;
}

class CTrainerTest : public TrainerTest {
protected:
  CTrainerTest() {
    const std::vector<std::byte> bytes = model();
    EXPECT_EQ(
        weir_session_load_memory(bytes.data(), bytes.size(), nullptr, &session),
        WEIR_OK)
        << weir_last_error();
    column.name = "x";
    column.tensor = {WEIR_F32, 1, &count, numbers, sizeof(numbers), nullptr};
  }
  ~CTrainerTest() override {
    weir_trainer_free(trainer);
    weir_session_free(session);
  }

  /// Options for the numbers 1 to 4, as they come.
  weir_trainer_options quietly() {
    auto options = sized<weir_trainer_options>();
    options.columns = &column;
    options.num_columns = 1;
    options.quiet = true;
    return options;
  }
  void create(const weir_trainer_options &options) {
    weir_trainer_free(std::exchange(trainer, nullptr));
    ASSERT_EQ(weir_trainer_create(session, &options, &trainer), WEIR_OK)
        << weir_last_error();
  }
  void refuses(const weir_trainer_options &options, const char *message) {
    weir_trainer *none = nullptr;
    EXPECT_EQ(weir_trainer_create(session, &options, &none),
              WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(weir_last_error()),
              std::string("weir_trainer_create: ") + message);
    EXPECT_EQ(none, nullptr);
  }
  weir_training_summary summary() {
    auto found = sized<weir_training_summary>();
    EXPECT_EQ(weir_trainer_summary(trainer, &found), WEIR_OK);
    return found;
  }

  float numbers[4] = {1, 2, 3, 4};
  int64_t count = 4;
  weir_named_tensor column = {};
  weir_session *session = nullptr;
  weir_trainer *trainer = nullptr;
};

// Steps return what they have computed, and the last one says so.
TEST_F(CTrainerTest, StepsReturnValues) {
  create(quietly());
  auto step = sized<weir_step>();
  std::vector<double> losses;
  do {
    ASSERT_EQ(weir_trainer_step(trainer, &step), WEIR_OK) << weir_last_error();
    ASSERT_EQ(step.num_values, 1u);
    EXPECT_STREQ(step.values[0].name, "loss");
    losses.push_back(step.values[0].value);
    EXPECT_EQ(step.step, static_cast<int64_t>(losses.size()));
    EXPECT_EQ(step.epoch, 1);
    EXPECT_EQ(step.examples, 1);
    EXPECT_EQ(step.rate, nullptr);
    EXPECT_EQ(step.num_validation, 0u);
  } while (!step.is_last);
  EXPECT_THAT(losses, ElementsAre(1, 3, 6, 10));
  EXPECT_EQ(summary().end, WEIR_TRAINING_COMPLETE);

  ASSERT_EQ(weir_trainer_step(trainer, &step), WEIR_OK);
  EXPECT_TRUE(step.is_last);
  EXPECT_EQ(step.num_values, 0u);
  EXPECT_EQ(weir_trainer_step(trainer, nullptr), WEIR_OK);
  EXPECT_EQ(weir_trainer_run(trainer), WEIR_OK);
}

// A program that was compiled when a step had less to say gets as much as it
// has room for, and one with a newer header zeros.
TEST_F(CTrainerTest, StepsFitTheirStructs) {
  create(quietly());
  auto step = sized<weir_step>();
  step.size = 8;
  EXPECT_EQ(weir_trainer_step(trainer, &step), WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(weir_last_error(),
               "weir_trainer_step: the size of a weir_step is 8, which none "
               "has; set it to sizeof(weir_step)");
  struct {
    weir_step step;
    uint64_t more;
  } newer = {{}, 7};
  newer.step.size = sizeof(newer);
  ASSERT_EQ(weir_trainer_step(trainer, &newer.step), WEIR_OK);
  EXPECT_EQ(newer.step.step, 1);
  EXPECT_EQ(newer.step.size, sizeof(newer));
  EXPECT_EQ(newer.more, 0u);
}

// The callback gets each step, with the context, and stops the training.
TEST_F(CTrainerTest, CallbacksStop) {
  auto options = quietly();
  options.epochs = 3;
  std::vector<double> losses;
  options.context = &losses;
  options.on_step = [](void *context, const weir_step *step) {
    auto &all = *static_cast<std::vector<double> *>(context);
    EXPECT_EQ(step->size, sizeof(*step));
    all.push_back(step->values[0].value);
    return all.size() < 6;
  };
  create(options);
  ASSERT_EQ(weir_trainer_run(trainer), WEIR_OK);
  EXPECT_THAT(losses, ElementsAre(1, 3, 6, 10, 11, 13));
  const weir_training_summary found = summary();
  EXPECT_EQ(found.end, WEIR_TRAINING_STOPPED);
  EXPECT_EQ(found.step, 6);
  EXPECT_EQ(found.epoch, 1);
  EXPECT_EQ(found.examples, 6);
  EXPECT_EQ(found.values[0].value, 13);
}

// Files, maps, a validation, checkpoints and a log are as in C++.
TEST_F(CTrainerTest, OptionsReachTheTrainer) {
  const std::string data = root + "/x.csv";
  std::ofstream(data) << "x\n10\n20\n30\n";
  const std::string text = "x=" + data + ":x", folder = root + "/checkpoints";
  const std::string log = root + "/log.jsonl", file = root + "/w.safetensors";
  const char *maps[] = {"x=scale:10"};
  auto options = sized<weir_trainer_options>();
  options.data = options.validation_data = text.c_str();
  options.maps = maps;
  options.num_maps = 1;
  options.validate_every = 2;
  options.steps = 4;
  options.checkpoint_folder = folder.c_str();
  options.checkpoint_every = 1;
  options.keep_checkpoints = true;
  options.best = "min:error";
  options.log = log.c_str();
  options.quiet = true;
  create(options);
  auto step = sized<weir_step>();
  ASSERT_EQ(weir_trainer_step(trainer, &step), WEIR_OK) << weir_last_error();
  EXPECT_NEAR(step.values[0].value, 1, 1e-6);
  EXPECT_EQ(step.num_validation, 0u);
  ASSERT_EQ(weir_trainer_step(trainer, &step), WEIR_OK);
  ASSERT_EQ(step.num_validation, 1u);
  EXPECT_STREQ(step.validation[0].name, "error");
  EXPECT_NEAR(step.validation[0].value, 4, 1e-6);
  weir_trainer_stop(trainer);
  ASSERT_EQ(weir_trainer_run(trainer), WEIR_OK);
  EXPECT_EQ(weir_trainer_save_variables(trainer, file.c_str()), WEIR_OK);
  for (const char *name :
       {"/checkpoints/step-00000001.safetensors",
        "/checkpoints/best.safetensors", "/w.safetensors", "/log.jsonl"})
    EXPECT_TRUE(std::filesystem::exists(root + name)) << name;

  options.resume = true;
  create(options);
  ASSERT_EQ(weir_trainer_run(trainer), WEIR_OK) << weir_last_error();
  EXPECT_EQ(summary().steps_before, 2);
  EXPECT_EQ(summary().step, 4);
  EXPECT_EQ(summary().end, WEIR_TRAINING_COMPLETE);

  // The maps belong to the training that a checkpoint has.
  weir_trainer_free(std::exchange(trainer, nullptr));
  maps[0] = "x=scale:5";
  options.steps = 5;
  weir_trainer *none = nullptr;
  EXPECT_EQ(weir_trainer_create(session, &options, &none),
            WEIR_INVALID_ARGUMENT);
  EXPECT_THAT(weir_last_error(),
              HasSubstr("map of 'x' was scale:10, and is scale:5"));
}

// A buffer may be larger than its tensor, as for runs.
TEST_F(CTrainerTest, BuffersMayBeLarger) {
  auto options = quietly();
  count = 3;
  create(options);
  ASSERT_EQ(weir_trainer_run(trainer), WEIR_OK) << weir_last_error();
  EXPECT_EQ(summary().step, 3);
}

// A cancelled training makes no step more.
TEST_F(CTrainerTest, Cancels) {
  weir_cancel_token *token = nullptr;
  ASSERT_EQ(weir_cancel_token_create(&token), WEIR_OK);
  auto options = quietly();
  options.cancel_token = token;
  create(options);
  EXPECT_EQ(weir_cancel_token_cancel(token), WEIR_OK);
  weir_cancel_token_free(token);
  EXPECT_EQ(weir_trainer_run(trainer), WEIR_CANCELLED);
  EXPECT_THAT(weir_last_error(), StartsWith("weir_trainer_run: step 1: "));
  EXPECT_EQ(summary().end, WEIR_TRAINING_CANCELLED);
}

// What cannot work is refused, with the member that says so.
TEST_F(CTrainerTest, WrongOptionsAreRefused) {
  auto options = quietly();
  options.epochs = -1;
  refuses(options, "epochs is -1; expected a number from 0 up");
  options = quietly();
  options.last = 3;
  refuses(options, "last is 3; use WEIR_LAST_KEEP, WEIR_LAST_DROP or "
                   "WEIR_LAST_PAD");
  options = quietly();
  options.validation_last = -1;
  refuses(options, "validation_last is -1; use WEIR_LAST_KEEP, WEIR_LAST_DROP "
                   "or WEIR_LAST_PAD");
  options = quietly();
  options.best = "loss";
  refuses(options, "best is 'loss'; expected min:NAME or max:NAME with an "
                   "output of the validation");
  options = quietly();
  options.validation_entry = "validate";
  refuses(options, "there is no data for the validation by entry 'validate'; "
                   "give it with weir_trainer_options.validation_data");
  options = quietly();
  options.last = WEIR_LAST_PAD;
  refuses(options,
          "weir_trainer_options.last = WEIR_LAST_PAD: padding would count as "
          "examples; if the entry has an input that tells them apart, name it "
          "with weir_trainer_options.mask, or else leave the last examples out "
          "with weir_trainer_options.last = WEIR_LAST_DROP");
  options = quietly();
  column.tensor.dtype = WEIR_U8;
  refuses(options, "input 'x' of entry 'train': expected 1xf32, found u8 in "
                   "each example of the column; weir_trainer_options.maps "
                   "'x=cast:f32' converts the numbers");
  column.tensor.dtype = WEIR_F32;
  options.data = "x=x.npy";
  refuses(options, "there are no examples, or two sorts of them; set either "
                   "data or columns");
  options = quietly();
  options.num_maps = 1;
  refuses(options, "maps is null");
  options = quietly();
  column.tensor.data = nullptr;
  refuses(options, "column 0: data is null");
  options.size = 0;
  refuses(options, "the size of a weir_trainer_options is 0, which none has; "
                   "set it to sizeof(weir_trainer_options)");
  weir_trainer_free(nullptr);
  weir_trainer_stop(nullptr);
  EXPECT_EQ(weir_trainer_run(nullptr), WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(weir_last_error(), "weir_trainer_run: trainer is null");
}

} // namespace
