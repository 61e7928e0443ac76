//===- LivenessTest.cpp - Live bytes over a timeline -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace weir;
using namespace weir::analysis;

// Steps are inclusive: two buffers are live together if one ends in the step in
// which the other begins.
TEST(LivenessTest, stepsAreInclusive) {
  std::vector<LiveBuffer> buffers = {{100, 0, 1}, {300, 1, 2}, {512, 3, 3}};
  LivePeak peak = livePeak(buffers);
  EXPECT_EQ(peak.bytes, 256u + 512u);
  EXPECT_EQ(peak.step, 1u);
  EXPECT_EQ(livePeak(buffers, 1).bytes, 512u);
  EXPECT_EQ(livePeak(buffers, 1).step, 3u);
  EXPECT_EQ(livePeak({}).bytes, 0u);
  EXPECT_EQ(livePeak(std::vector<LiveBuffer>{{8, 5, ~0u}}).bytes, 256u);
}

// Peak and profile are the sums that a plain double loop computes.
TEST(LivenessTest, agreesWithTheDefinition) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<LiveBuffer> buffers(1 + random() % 60);
    for (LiveBuffer &buffer : buffers) {
      buffer.bytes = random() % 5000;
      buffer.first = random() % 40;
      buffer.last = buffer.first + random() % 12;
    }
    std::vector<uint64_t> expected(52, 0);
    for (uint32_t step = 0; step < expected.size(); ++step)
      for (const LiveBuffer &buffer : buffers)
        if (buffer.first <= step && step <= buffer.last)
          expected[step] += (buffer.bytes + 255) / 256 * 256;
    auto most = std::max_element(expected.begin(), expected.end());
    LivePeak peak = livePeak(buffers);
    EXPECT_EQ(peak.bytes, *most);
    EXPECT_EQ(peak.step, most - expected.begin());
  }
}
