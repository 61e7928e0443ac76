//===- RecomputationTest.cpp - What to compute twice to save memory -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Recomputation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>

using namespace weir;
using namespace weir::analysis;

namespace {

constexpr uint64_t unit = defaultAlignment;

uint64_t peakOf(const RecomputeProblem &problem, const RecomputePlan &plan) {
  return livePeak(livesWith(problem, plan.repetitions)).bytes / unit;
}

/// The forward and the backward pass of `size` layers. Each reads the value
/// before it; going back, each reads that value again and a gradient.
RecomputeProblem makeLayers(uint32_t size) {
  RecomputeProblem problem;
  problem.buffers.assign(2 * size + 1, {unit, /*mayBeFreed=*/true});
  for (uint32_t layer = 0; layer <= size; ++layer) {
    RecomputeStep &step = problem.steps.emplace_back();
    if (layer != 0)
      step.reads = {layer - 1};
    step.writes = {layer};
    step.seconds = 1;
    step.lastRepeat = ~0u;
  }
  for (uint32_t layer = size; layer > 0; --layer) {
    RecomputeStep &step = problem.steps.emplace_back();
    step.reads = {layer - 1};
    if (layer != size)
      step.reads.push_back(size + layer + 1);
    step.writes = {size + layer};
    step.seconds = 2;
    step.lastRepeat = ~0u;
  }
  return problem;
}

/// Steps that read values of earlier ones, some of them much earlier.
RecomputeProblem makeRandom(std::mt19937 &random) {
  RecomputeProblem problem;
  const uint32_t numSteps = 5 + random() % 60;
  for (uint32_t number = 0; number < numSteps; ++number) {
    RecomputeStep &step = problem.steps.emplace_back();
    std::set<uint32_t> reads;
    if (!problem.buffers.empty())
      for (uint32_t i = random() % 4; i > 0; --i)
        reads.insert(random() % problem.buffers.size());
    step.reads.assign(reads.begin(), reads.end());
    step.seconds = 1 + random() % 9;
    // Some may not be repeated, or only for a while.
    const uint32_t kind = random() % 8;
    step.lastRepeat = kind == 0   ? 0
                      : kind == 1 ? number + random() % numSteps
                                  : ~0u;
    for (uint32_t i = 1 + random() % 2; i > 0; --i) {
      step.writes.push_back(static_cast<uint32_t>(problem.buffers.size()));
      RecomputeBuffer &buffer = problem.buffers.emplace_back();
      buffer.bytes = random() % 5 * unit;
      buffer.mayBeFreed = step.lastRepeat != 0 && random() % 8 != 0;
      if (!buffer.mayBeFreed && random() % 2 == 0) {
        buffer.first = number;
        buffer.last = std::min(numSteps, number + uint32_t(random() % 20));
      }
    }
  }
  return problem;
}

/// Carries out steps and repetitions. A value is a number that depends on the
/// step and on what it reads.
class Machine {
public:
  explicit Machine(const RecomputeProblem &problem)
      : problem(problem), current(problem.buffers.size(), 0) {}

  void repeat(const Repetition &repetition) {
    const uint64_t value = compute(repetition.step);
    for (uint32_t buffer : problem.steps[repetition.step].writes)
      if (std::ranges::count(repetition.replaced, buffer))
        current[buffer] = value;
  }

  void carryOut(uint32_t step) {
    const uint64_t value = compute(step);
    for (uint32_t buffer : problem.steps[step].writes)
      current[buffer] = value;
    values.push_back(value);
  }

  /// What each step has computed.
  std::vector<uint64_t> values;

private:
  uint64_t compute(uint32_t step) const {
    uint64_t value = step + 1;
    for (uint32_t buffer : problem.steps[step].reads)
      value = value * 0x9e3779b97f4a7c15u + current[buffer];
    return value;
  }

  const RecomputeProblem &problem;
  std::vector<uint64_t> current;
};

std::vector<uint64_t> carryOut(const RecomputeProblem &problem,
                               std::span<const Repetition> repetitions) {
  Machine machine(problem);
  size_t next = 0;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    for (; next < repetitions.size() && repetitions[next].before == step;
         ++next)
      machine.repeat(repetitions[next]);
    machine.carryOut(step);
  }
  EXPECT_EQ(next, repetitions.size()) << "repetitions are not in order";
  return machine.values;
}

} // namespace

// Each repetition of a layer saves one value, so a bound that is `n` values
// lower takes n of them, and no more are chosen.
TEST(RecomputationTest, savesAsMuchAsNecessary) {
  const RecomputeProblem problem = makeLayers(100);
  EXPECT_EQ(peakOf(problem, {}), 101u);
  EXPECT_TRUE(planRecomputation(problem, 101 * unit).repetitions.empty());
  for (uint64_t bound : {100, 90, 75, 50, 25}) {
    const RecomputePlan plan = planRecomputation(problem, bound * unit);
    EXPECT_LE(peakOf(problem, plan), bound);
    EXPECT_EQ(plan.repetitions.size(), 101 - bound);
    EXPECT_EQ(plan.seconds, static_cast<double>(101 - bound));
  }
}

// With few kept values, what lies between them is computed again, layer by
// layer (Chen et al.): the peak grows more slowly than the number of layers.
TEST(RecomputationTest, goesBackToKeptValues) {
  const RecomputeProblem problem = makeLayers(1000);
  const RecomputePlan plan = planRecomputation(problem, 100 * unit);
  EXPECT_LE(peakOf(problem, plan), 100u);
  EXPECT_LE(plan.repetitions.size(), 1000u);
}

// If two values are there at the peak, the one that takes less time is computed
// again.
TEST(RecomputationTest, repeatsWhatIsCheap) {
  RecomputeProblem problem;
  problem.buffers.assign(4, {unit, true});
  problem.steps = {{{}, {0}, 5, ~0u},
                   {{}, {1}, 3, ~0u},
                   {{}, {2}, 9, ~0u},
                   {{2}, {3}, 1, ~0u},
                   {{0, 1}, {}, 1, 0}};
  const RecomputePlan plan = planRecomputation(problem, 3 * unit);
  ASSERT_EQ(plan.repetitions.size(), 1u);
  EXPECT_EQ(plan.repetitions[0].step, 1u);
  EXPECT_EQ(plan.repetitions[0].before, 4u);
  EXPECT_EQ(plan.repetitions[0].replaced, std::vector<uint32_t>{1});
  // Nothing is done twice that changes more than values, or too late.
  problem.steps[1].lastRepeat = 3;
  EXPECT_EQ(planRecomputation(problem, 3 * unit).repetitions[0].step, 0u);
  problem.buffers[0].mayBeFreed = false;
  EXPECT_TRUE(planRecomputation(problem, 3 * unit).repetitions.empty());
}

// What a repeated step reads must be there. A large operand that has ended is
// computed again as well, a small one is kept.
TEST(RecomputationTest, repeatsOperandsOrKeepsThem) {
  for (uint64_t operandBytes : {8 * unit, unit}) {
    RecomputeProblem problem;
    problem.buffers = {
        {operandBytes, true}, {8 * unit, true}, {16 * unit, true}};
    problem.steps = {{{}, {0}, 1, ~0u},
                     {{0}, {1}, 1, ~0u},
                     {{}, {2}, 1, ~0u},
                     {{2}, {}, 1, 0},
                     {{1}, {}, 1, 0}};
    const RecomputePlan plan = planRecomputation(problem, 17 * unit);
    EXPECT_LE(peakOf(problem, plan), 17u);
    EXPECT_EQ(plan.repetitions.size(), operandBytes == unit ? 1u : 2u);
    EXPECT_EQ(plan.repetitions.back().step, 1u);
  }
}

// Whatever is repeated, all steps compute the same values, no step is repeated
// that must not be, and the peak is not above that without repetitions.
TEST(RecomputationTest, keepsValuesOfRandomSteps) {
  std::mt19937 random(11);
  size_t numRepeated = 0, numLower = 0;
  for (int round = 0; round < 2000; ++round) {
    const RecomputeProblem problem = makeRandom(random);
    const uint64_t before = peakOf(problem, {});
    const uint64_t bound = before * (random() % 100) / 100;
    const RecomputePlan plan = planRecomputation(problem, bound * unit);
    EXPECT_EQ(carryOut(problem, plan.repetitions), carryOut(problem, {}));
    for (const Repetition &repetition : plan.repetitions) {
      EXPECT_LE(repetition.before, problem.steps[repetition.step].lastRepeat);
      for (uint32_t buffer : repetition.replaced)
        EXPECT_TRUE(problem.buffers[buffer].mayBeFreed);
    }
    EXPECT_LE(peakOf(problem, plan), before);
    numRepeated += plan.repetitions.size();
    numLower += peakOf(problem, plan) < before;
  }
  // The rounds show something.
  EXPECT_GT(numRepeated, 1000u);
  EXPECT_GT(numLower, 200u);
}

// Lives are those of a replay that notes when each copy is touched.
TEST(RecomputationTest, livesAgreeWithReplay) {
  std::mt19937 random(12);
  for (int round = 0; round < 300; ++round) {
    RecomputeProblem problem = makeRandom(random);
    for (RecomputeBuffer &buffer : problem.buffers)
      buffer.last = 0, buffer.first = 1;
    const RecomputePlan plan =
        planRecomputation(problem, peakOf(problem, {}) * unit / 2);
    // Copies by the time of their making.
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> all;
    std::vector<uint32_t> made(problem.buffers.size());
    uint32_t now = 0;
    auto touch = [&](uint32_t buffer, uint32_t when) {
      auto [it, isNew] = all.try_emplace({buffer, when}, now, now);
      it->second.second = now;
    };
    size_t next = 0;
    for (uint32_t number = 0; number < problem.steps.size(); ++number, ++now) {
      for (; next < plan.repetitions.size() &&
             plan.repetitions[next].before == number;
           ++next, ++now) {
        const Repetition &again = plan.repetitions[next];
        for (uint32_t buffer : problem.steps[again.step].reads)
          touch(buffer, made[buffer]);
        for (uint32_t buffer : problem.steps[again.step].writes) {
          touch(buffer, now + 1);
          if (std::ranges::count(again.replaced, buffer))
            made[buffer] = now + 1;
        }
      }
      for (uint32_t buffer : problem.steps[number].writes)
        touch(buffer, made[buffer] = now + 1);
      for (uint32_t buffer : problem.steps[number].reads)
        touch(buffer, made[buffer]);
    }
    std::multiset<std::array<uint64_t, 3>> expected, found;
    for (const auto &[copy, life] : all)
      expected.insert(
          {problem.buffers[copy.first].bytes, life.first, life.second});
    for (const LiveBuffer &life : livesWith(problem, plan.repetitions))
      found.insert({life.bytes, life.first, life.last});
    EXPECT_EQ(found, expected);
  }
}

// 50 times as many steps take about 50 times as long, at every bound.
TEST(RecomputationTest, timePerStepStaysFlat) {
  auto secondsPerStep = [](uint32_t size, double share) {
    const RecomputeProblem problem = makeLayers(size / 2);
    const auto bound = static_cast<uint64_t>(share * size / 2) * unit;
    double best = 1;
    for (int round = 0; round < 2; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      planRecomputation(problem, bound);
      const std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - begin;
      best = std::min(best, seconds.count() / size);
    }
    return best;
  };
  for (double share : {0.75, 0.25})
    EXPECT_LE(secondsPerStep(50'000, share),
              12 * secondsPerStep(1'000, share) + 20e-6)
        << "bound of " << share;
}
