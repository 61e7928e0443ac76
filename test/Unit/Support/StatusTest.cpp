//===- StatusTest.cpp - Errors as values ------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Status.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

using namespace weir;

namespace {

StatusOr<std::string> failing() { return notFound("there is no file 'x'"); }

// In every build, the program ends where a value is taken that is not there,
// and says what the error was.
TEST(StatusOrDeathTest, EndsWhereAnErrorIsTakenForAValue) {
  const char *const expected =
      "weir: the value of a StatusOr was taken, which has none \\(not found: "
      "there is no file 'x'\\); look at isOk\\(\\) first";
  EXPECT_DEATH((void)*failing(), expected);
  StatusOr<std::string> error = failing();
  EXPECT_DEATH((*error).clear(), expected);
  EXPECT_DEATH(error->clear(), expected);
  const StatusOr<std::string> fixed = failing();
  EXPECT_DEATH((void)*fixed, expected);
  EXPECT_DEATH((void)fixed->size(), expected);
}

TEST(StatusOr, GivesItsValue) {
  StatusOr<std::unique_ptr<int>> value = std::make_unique<int>(3);
  ASSERT_TRUE(value.isOk());
  EXPECT_EQ(**value, 3);
  const std::unique_ptr<int> moved = *std::move(value);
  EXPECT_EQ(*moved, 3);
}

} // namespace
