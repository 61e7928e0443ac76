//===- MemoryPlanTest.cpp - Offsets of buffers in an arena -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The bound is recomputed here from its definition, and the requirement, a peak
// within 1.05 of it, is asserted on families of graphs that are hard for one
// order or another.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/MemoryPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace weir;
using namespace weir::analysis;

namespace {

/// Random numbers that do not depend on the standard library's distributions.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t n) { return engine() % n; }
  double unit() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  uint64_t logUniform(double least, double most) {
    return static_cast<uint64_t>(least * std::pow(most / least, unit()));
  }

private:
  std::mt19937_64 engine;
};

enum class Sizes { LogUniform, Classes, Skewed, Unaligned };

uint64_t drawSize(Random &random, Sizes sizes) {
  constexpr uint64_t classes[] = {1 << 12, 3 << 12, 1 << 16, 5 << 16, 1 << 20};
  switch (sizes) {
  case Sizes::LogUniform:
    return random.logUniform(256, 1 << 24);
  case Sizes::Classes:
    return classes[random.below(5)];
  case Sizes::Skewed:
    return random.below(10) ? 1000 + random.below(100000)
                            : 1000000 + random.below(10000000);
  case Sizes::Unaligned:
    break;
  }
  return 1 + random.below(5000);
}

/// Lifetimes of the values of a graph in topological order: value i lives from
/// step i to its last reader.
std::vector<LiveBuffer>
fromReaders(Random &random, Sizes sizes,
            const std::vector<std::vector<uint32_t>> &operands) {
  std::vector<LiveBuffer> buffers(operands.size());
  for (uint32_t i = 0; i < operands.size(); ++i) {
    buffers[i] = {drawSize(random, sizes), i, i};
    for (uint32_t operand : operands[i])
      buffers[operand].last = i;
  }
  return buffers;
}

/// Each value reads one to three earlier ones, mostly recent.
std::vector<LiveBuffer> randomDag(Random &random, Sizes sizes, uint32_t n) {
  std::vector<std::vector<uint32_t>> operands(n);
  for (uint32_t i = 1; i < n; ++i)
    for (uint64_t k = 1 + random.below(3); k > 0; --k) {
      uint64_t reach = random.below(4) ? 8 : n;
      operands[i].push_back(
          i - 1 -
          static_cast<uint32_t>(random.below(std::min<uint64_t>(reach, i))));
    }
  return fromReaders(random, sizes, operands);
}

/// A chain with skip connections of random lengths.
std::vector<LiveBuffer> residualChain(Random &random, Sizes sizes, uint32_t n) {
  std::vector<std::vector<uint32_t>> operands(n);
  for (uint32_t i = 1; i < n; ++i) {
    operands[i].push_back(i - 1);
    if (random.below(3) == 0)
      operands[i].push_back(static_cast<uint32_t>(
          i - 1 - random.below(std::min<uint64_t>(i, 30))));
  }
  return fromReaders(random, sizes, operands);
}

/// A forward and a backward pass: every value of the first half is read in the
/// second, in reverse order.
std::vector<LiveBuffer> trainingStep(Random &random, Sizes sizes, uint32_t n) {
  std::vector<std::vector<uint32_t>> operands(n);
  for (uint32_t i = 1; i < n; ++i) {
    operands[i].push_back(i - 1);
    if (i > n / 2 && random.below(4))
      operands[i].push_back(n - 1 - i);
  }
  return fromReaders(random, sizes, operands);
}

/// Intervals with no structure at all.
std::vector<LiveBuffer> randomIntervals(Random &random, Sizes sizes,
                                        uint32_t n) {
  std::vector<LiveBuffer> buffers(n);
  for (LiveBuffer &buffer : buffers) {
    auto first = static_cast<uint32_t>(random.below(n));
    auto length = static_cast<uint32_t>(random.logUniform(1, n / 2.0));
    buffer = {drawSize(random, sizes), first, std::min(n - 1, first + length)};
  }
  return buffers;
}

using Family = std::vector<LiveBuffer> (*)(Random &, Sizes, uint32_t);
constexpr Family families[] = {randomDag, residualChain, trainingStep,
                               randomIntervals};

std::vector<LiveBuffer> randomInstance(uint64_t seed) {
  Random random(seed);
  auto sizes = static_cast<Sizes>(random.below(4));
  auto n = static_cast<uint32_t>(50 + random.below(451));
  return families[seed % 4](random, sizes, n);
}

} // namespace

// A chain needs its two largest neighbours and no more; offsets are aligned.
TEST(MemoryPlanTest, chainsAreTight) {
  std::vector<LiveBuffer> buffers = {
      {1000, 0, 1}, {5000, 1, 2}, {300, 2, 3}, {0, 0, 3}, {700, 3, 4}};
  StatusOr<MemoryPlan> plan = planMemory(buffers);
  ASSERT_TRUE(plan.isOk());
  EXPECT_EQ(plan->peakBytes, 1024u + 5120u);
  EXPECT_EQ(plan->lowerBoundBytes, plan->peakBytes);
  EXPECT_EQ(plan->offsets[3], 0u);
  EXPECT_TRUE(checkMemoryPlan(buffers, *plan).isOk());
  EXPECT_EQ(planMemory(std::vector<LiveBuffer>{})->peakBytes, 0u);
}

// On 1,000 seeded random graphs of 50 to 500 values the peak is within 1.05 of
// the liveness bound, and no two live buffers share bytes.
TEST(MemoryPlanTest, stayWithinFivePercent) {
  std::vector<double> ratios;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::vector<LiveBuffer> buffers = randomInstance(seed);
    StatusOr<MemoryPlan> plan = planMemory(buffers);
    ASSERT_TRUE(plan.isOk());
    Status valid = checkMemoryPlan(buffers, *plan);
    ASSERT_TRUE(valid.isOk()) << valid.message();
    uint64_t bound = 0;
    for (uint32_t step = 0; step < buffers.size(); ++step) {
      uint64_t live = 0;
      for (const LiveBuffer &buffer : buffers)
        if (buffer.first <= step && step <= buffer.last)
          live += (buffer.bytes + 255) / 256 * 256;
      bound = std::max(bound, live);
    }
    EXPECT_EQ(plan->lowerBoundBytes, bound);
    ratios.push_back(static_cast<double>(plan->peakBytes) /
                     static_cast<double>(bound));
    EXPECT_LE(ratios.back(), 1.05) << "seed " << seed;
  }
  std::sort(ratios.begin(), ratios.end());
  auto tight = std::upper_bound(ratios.begin(), ratios.end(), 1.0);
  std::printf("peak / bound: %ld of 1000 equal, p99 %.4f, worst %.4f\n",
              static_cast<long>(tight - ratios.begin()), ratios[990],
              ratios.back());
}

// Equal input gives an equal plan.
TEST(MemoryPlanTest, isDeterministic) {
  for (uint64_t seed : {3, 5, 7}) {
    std::vector<LiveBuffer> buffers = randomInstance(seed);
    EXPECT_EQ(planMemory(buffers)->offsets, planMemory(buffers)->offsets);
  }
}

// 20,000 buffers are planned in a bounded number of tries.
TEST(MemoryPlanTest, plansLargePrograms) {
  Random random(5);
  std::vector<LiveBuffer> buffers =
      residualChain(random, Sizes::LogUniform, 20000);
  StatusOr<MemoryPlan> plan = planMemory(buffers);
  ASSERT_TRUE(plan.isOk());
  EXPECT_TRUE(checkMemoryPlan(buffers, *plan).isOk());
  EXPECT_LE(static_cast<double>(plan->peakBytes),
            1.05 * static_cast<double>(plan->lowerBoundBytes));
}

// Where most of many buffers are live at once, visiting all pairs would take
// time in proportion to their square. They are placed in the order of time.
TEST(MemoryPlanTest, plansManyBuffersThatAreLiveAtOnce) {
  Random random(6);
  constexpr std::pair<Family, double> bounds[] = {{trainingStep, 1.05},
                                                  {randomIntervals, 1.15}};
  for (auto [family, bound] : bounds)
    for (Sizes sizes :
         {Sizes::LogUniform, Sizes::Classes, Sizes::Skewed, Sizes::Unaligned}) {
      std::vector<LiveBuffer> buffers = family(random, sizes, 30000);
      StatusOr<MemoryPlan> plan = planMemory(buffers);
      ASSERT_TRUE(plan.isOk());
      EXPECT_TRUE(checkMemoryPlan(buffers, *plan).isOk());
      EXPECT_TRUE(plan->method.starts_with("time")) << plan->method;
      EXPECT_LE(static_cast<double>(plan->peakBytes),
                bound * static_cast<double>(plan->lowerBoundBytes));
    }
}

// Impossible input is an error.
TEST(MemoryPlanTest, refusesImpossibleInput) {
  using Buffers = std::vector<LiveBuffer>;
  EXPECT_FALSE(planMemory(Buffers{{8, 3, 2}}).isOk());
  EXPECT_FALSE(planMemory(Buffers{{~0ull, 0, 1}}).isOk());
  EXPECT_FALSE(
      planMemory(Buffers{{1ull << 61, 0, 1}, {1ull << 61, 2, 3}, {1, 0, 0}})
          .isOk());
  MemoryPlanOptions odd;
  odd.alignment = 100;
  EXPECT_FALSE(planMemory(Buffers{{8, 0, 1}}, odd).isOk());
}

// The check sees two live buffers on the same bytes, and a low peak.
TEST(MemoryPlanTest, checkFindsBrokenPlans) {
  std::vector<LiveBuffer> buffers = {{512, 0, 2}, {256, 2, 3}, {256, 3, 4}};
  MemoryPlan plan{{0, 512, 0}, 768, 768, ""};
  EXPECT_TRUE(checkMemoryPlan(buffers, plan).isOk());
  plan.offsets[1] = 256;
  EXPECT_EQ(checkMemoryPlan(buffers, plan).message(),
            "buffers 0 and 1 share bytes while both live");
  plan.offsets[1] = 768;
  EXPECT_FALSE(checkMemoryPlan(buffers, plan).isOk());
}
