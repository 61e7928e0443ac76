//===- GlobTest.cpp - Patterns for op names -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Glob.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <random>

using namespace weir;

static bool matches(std::string_view pattern, std::string_view text) {
  StatusOr<Glob> glob = Glob::parse(pattern);
  EXPECT_TRUE(glob.isOk()) << pattern << ": " << glob.status().message();
  return glob && glob->matches(text);
}

// Each piece of the syntax, on names as graphs have them.
TEST(GlobTest, matchesWholeNames) {
  EXPECT_TRUE(matches("conv1", "conv1"));
  EXPECT_FALSE(matches("conv1", "conv10"));
  EXPECT_FALSE(matches("onv1", "conv1"));
  EXPECT_TRUE(matches("conv*", "conv"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("block*/conv?", "block/3/conv2"));
  EXPECT_FALSE(matches("conv?", "conv"));
  EXPECT_TRUE(matches("fc[12]", "fc2"));
  EXPECT_TRUE(matches("fc[1-3]", "fc2"));
  EXPECT_FALSE(matches("fc[!1-3]", "fc2"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("a\\*b", "a*b"));
  EXPECT_FALSE(matches("a\\*b", "axb"));
}

// Malformed patterns are refused with the position.
TEST(GlobTest, malformedPatternsAreRefused) {
  for (std::string_view pattern :
       {"", "[", "[]", "[!]", "a[b", "[a\\", "[z-a]", "a\\", "[a-"}) {
    StatusOr<Glob> glob = Glob::parse(pattern);
    ASSERT_FALSE(glob.isOk()) << pattern;
    EXPECT_NE(glob.status().message().find("pattern"), std::string::npos);
  }
  EXPECT_NE(Glob::parse("conv[").status().message().find("at character 5"),
            std::string::npos);
}

// The C library's fnmatch agrees on random patterns.
TEST(GlobTest, agreesWithFnmatch) {
  std::mt19937 random(3);
  std::string_view pieces[] = {"a", "b", "*", "?", "[ab]", "[!a]", "\\*", "c"};
  for (int i = 0; i < 20000; ++i) {
    std::string pattern, text;
    for (int n = 1 + random() % 8; n > 0; --n)
      pattern += pieces[random() % 8];
    for (int n = random() % 9; n > 0; --n)
      text += "abc*"[random() % 4];
    EXPECT_EQ(matches(pattern, text),
              fnmatch(pattern.c_str(), text.c_str(), 0) == 0)
        << pattern << " on " << text;
  }
}

// A pattern of many stars takes no exponential time.
TEST(GlobTest, manyStarsAreQuick) {
  std::string pattern;
  for (int i = 0; i < 200; ++i)
    pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(10000, 'a')));
}
