//===- CSessionsTest.cpp - What sessions say about themselves ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace weir::test;

namespace {

TEST(CSessions, HaveMetadata) {
  const Model model;
  ASSERT_EQ(weir_session_num_metadata(model.session), 1u);
  const char *key = nullptr, *value = nullptr;
  ASSERT_EQ(weir_session_metadata_at(model.session, 0, &key, &value), WEIR_OK);
  EXPECT_STREQ(key, "made by");
  EXPECT_STREQ(value, "a test");
  EXPECT_EQ(weir_session_num_metadata(nullptr), 0u);
  const std::string call = "weir_session_metadata_at: ";
  expectError(weir_session_metadata_at(model.session, 1, &key, &value),
              WEIR_INVALID_ARGUMENT,
              call + "there is no metadata 1; the session has 1");
  expectError(weir_session_metadata_at(nullptr, 0, &key, &value),
              WEIR_INVALID_ARGUMENT, call + "session is null");
  expectError(weir_session_metadata_at(model.session, 0, nullptr, &value),
              WEIR_INVALID_ARGUMENT, call + "key is null");
  expectError(weir_session_metadata_at(model.session, 0, &key, nullptr),
              WEIR_INVALID_ARGUMENT, call + "value is null");
}

// The strings of a device live as long as the session.
TEST(CSessions, HaveDevices) {
  const Model model;
  ASSERT_EQ(weir_session_num_devices(model.session), 2u);
  auto first = sized<weir_device>(), second = sized<weir_device>();
  ASSERT_EQ(weir_session_device_at(model.session, 0, &first), WEIR_OK);
  ASSERT_EQ(weir_session_device_at(model.session, 1, &second), WEIR_OK);
  EXPECT_STREQ(first.name, "cpu:0");
  EXPECT_STREQ(second.name, "cpu:1");
  EXPECT_STREQ(second.kind, "cpu");
  EXPECT_EQ(second.threads, 1);
  EXPECT_GT(second.memory_bytes, 0u);
  EXPECT_NE(std::string(second.description), "");
  for (size_t i = 0; i < second.num_processors; ++i)
    EXPECT_GE(second.processors[i], 0);
  EXPECT_EQ(weir_session_num_devices(nullptr), 0u);
  const std::string call = "weir_session_device_at: ";
  expectError(weir_session_device_at(model.session, 2, &first),
              WEIR_INVALID_ARGUMENT,
              call + "there is no device 2; the session has 2");
  expectError(weir_session_device_at(nullptr, 0, &first), WEIR_INVALID_ARGUMENT,
              call + "session is null");
  expectError(weir_session_device_at(model.session, 0, nullptr),
              WEIR_INVALID_ARGUMENT, call + "device is null");
  first.size = 8;
  expectError(weir_session_device_at(model.session, 0, &first),
              WEIR_INVALID_ARGUMENT,
              call + "the size of a weir_device is 8, which none has; set it "
                     "to sizeof(weir_device)");
}

// Each answer is the state between two runs, whatever runs meanwhile.
TEST(CSessions, GiveAllVariablesOfOneMoment) {
  Model model;
  std::atomic<bool> isEnding{false};
  std::thread steps([&] {
    Vector x{{1, 1, 1, 1}}, y;
    const weir_tensor input = x.tensor(), output = y.tensor();
    while (!isEnding)
      EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, nullptr),
                WEIR_OK);
  });
  for (int i = 0; i < 200; ++i) {
    Vector w;
    const weir_tensor value = w.tensor();
    EXPECT_EQ(weir_session_get_variables(model.session, &value, 1), WEIR_OK);
    EXPECT_EQ(w.values[3], w.values[0] + 3);
  }
  isEnding = true;
  steps.join();
}

TEST(CSessions, NeedATensorForEachVariable) {
  Model model;
  Vector w;
  weir_tensor value = w.tensor();
  const std::string call = "weir_session_get_variables: ";
  expectError(weir_session_get_variables(nullptr, &value, 1),
              WEIR_INVALID_ARGUMENT, call + "session is null");
  expectError(weir_session_get_variables(model.session, nullptr, 1),
              WEIR_INVALID_ARGUMENT, call + "values is null");
  expectError(weir_session_get_variables(model.session, nullptr, 0),
              WEIR_INVALID_ARGUMENT, call + "expected 1 values, found 0");
  value.rank = 17;
  expectError(weir_session_get_variables(model.session, &value, 1),
              WEIR_INVALID_ARGUMENT,
              call + "value 0: the rank is 17; expected 0 to 16");
}

} // namespace
