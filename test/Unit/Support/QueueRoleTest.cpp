//===- QueueRoleTest.cpp - Names of the roles of queues ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/QueueRole.h"

#include <gtest/gtest.h>
#include <string_view>
#include <utility>

using namespace weir;

// Artifacts have the numbers, and texts have the names.
TEST(QueueRole, numbersAndNamesStay) {
  const std::pair<QueueRole, std::string_view> roles[] = {
      {QueueRole::Compute, "compute"},
      {QueueRole::CopyIn, "copy_in"},
      {QueueRole::CopyOut, "copy_out"}};
  for (uint16_t number = 0; number < queueRoleNames.size(); ++number) {
    const auto &[role, name] = roles[number];
    EXPECT_EQ(static_cast<uint16_t>(role), number);
    EXPECT_EQ(toString(role), name);
    EXPECT_EQ(parseQueueRole(name), role);
  }
  for (const char *other : {"", "copy", "Compute", "copy_in ", "0"})
    EXPECT_FALSE(parseQueueRole(other)) << other;
}

TEST(QueueRole, rowsOfTracesHaveNames) {
  EXPECT_EQ(traceRowName(QueueRole::Compute), "compute");
  EXPECT_EQ(traceRowName(QueueRole::CopyIn), "copy");
  EXPECT_EQ(traceRowName(QueueRole::CopyOut), "copy out");
}
