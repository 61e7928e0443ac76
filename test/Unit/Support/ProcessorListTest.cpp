//===- ProcessorListTest.cpp - Lists of processor numbers -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ProcessorList.h"

#include <gtest/gtest.h>

using namespace weir;

TEST(ProcessorList, ReadsNumbersAndRanges) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(parseProcessorList("0"), Numbers{0});
  EXPECT_EQ(parseProcessorList("3-5,0,4095"), (Numbers{3, 4, 5, 0, 4095}));
  EXPECT_EQ(parseProcessorList("7-7"), Numbers{7});
}

TEST(ProcessorList, RefusesAllElse) {
  for (const char *text :
       {"",    ",",    "1,",     ",1",          "1,,2", "-1",   "1-",
        "2-1", "a",    " 1",     "1 ",          "+1",   "0x1",  "1-2-3",
        "1.5", "4096", "0-4096", "99999999999", "1,1",  "0-3,2"})
    EXPECT_FALSE(parseProcessorList(text)) << text;
}
