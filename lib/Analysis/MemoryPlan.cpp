//===- MemoryPlan.cpp - Offsets of buffers in an arena -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/MemoryPlan.h"

#include "ArenaPacker.h"
#include "ArenaSweep.h"
#include "weir/Support/Alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

using namespace weir;
using namespace weir::analysis;

namespace {

/// A rule to sort buffers by, biggest key first.
struct OrderRule {
  std::string_view name;
  std::vector<double> keys;
};

/// The limit on sums of sizes, so that no sum overflows.
constexpr uint64_t mostBytes = uint64_t(1) << 62;

/// The buffers that take space.
struct Problem {
  /// The index of each buffer in the caller's list.
  std::vector<uint32_t> ids;
  ConflictGraph graph{{}};
  uint64_t lowerBound = 0;
};

} // namespace

static Status checkSizes(std::span<const uint64_t> bytes, uint64_t alignment) {
  if (!std::has_single_bit(alignment))
    return invalidArgument(fmt::format(
        "the arena alignment is {}; expected a power of two", alignment));
  uint64_t total = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > mostBytes || alignment > mostBytes ||
        alignTo(bytes[i], alignment) > mostBytes - total)
      return invalidArgument(
          fmt::format("buffers 0 to {} take more than 2^62 bytes in all", i));
    total += alignTo(bytes[i], alignment);
  }
  return Status::ok();
}

/// For each buffer, the bytes of all buffers that overlap the buffer in time.
/// These are the bytes of all buffers, less the bytes of buffers that end
/// before the buffer begins or begin after the buffer ends.
static std::vector<double> conflictsOf(std::span<const LiveBuffer> buffers) {
  std::map<uint32_t, double> begun, ended;
  for (const LiveBuffer &buffer : buffers) {
    begun[buffer.first] += static_cast<double>(buffer.bytes);
    ended[buffer.last] += static_cast<double>(buffer.bytes);
  }
  for (auto *sums : {&begun, &ended}) {
    double total = 0;
    for (auto &[step, bytes] : *sums)
      bytes = total += bytes;
  }
  std::vector<double> out;
  for (const LiveBuffer &buffer : buffers) {
    auto before = ended.lower_bound(buffer.first);
    double over = before == ended.begin() ? 0 : std::prev(before)->second;
    out.push_back(std::prev(begun.upper_bound(buffer.last))->second - over);
  }
  return out;
}

/// The maximum of the live bytes over the steps of each buffer. It is looked up
/// in a table of maxima over runs of 2^k distinct steps.
static std::vector<double> contentionOf(std::span<const LiveBuffer> buffers) {
  std::vector<uint32_t> steps;
  for (const LiveBuffer &buffer : buffers)
    steps.push_back(buffer.first);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  auto rank = [&](uint32_t step) {
    return static_cast<size_t>(
        std::upper_bound(steps.begin(), steps.end(), step) - steps.begin() - 1);
  };
  std::vector<std::vector<double>> most(1, std::vector<double>(steps.size()));
  std::vector<double> &live = most[0];
  for (const LiveBuffer &buffer : buffers) {
    live[rank(buffer.first)] += static_cast<double>(buffer.bytes);
    if (size_t end = rank(buffer.last) + 1; end < steps.size())
      live[end] -= static_cast<double>(buffer.bytes);
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  for (size_t run = 1; 2 * run <= steps.size(); run *= 2) {
    std::vector<double> next(steps.size() - 2 * run + 1);
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = std::max(most.back()[i], most.back()[i + run]);
    most.push_back(std::move(next));
  }
  std::vector<double> out;
  for (const LiveBuffer &buffer : buffers) {
    size_t first = rank(buffer.first), last = rank(buffer.last);
    auto level = static_cast<size_t>(std::bit_width(last - first + 1) - 1);
    out.push_back(std::max(most[level][first],
                           most[level][last + 1 - (size_t(1) << level)]));
  }
  return out;
}

/// Orders, each of which is the best for some graphs. The first four are from
/// Pisarchyk and Lee and from TelaMalloc. The others serve long chains and
/// buffers of equal sizes.
static std::vector<OrderRule> orderRules(const Problem &problem) {
  std::vector<OrderRule> rules = {{"size", {}},
                                  {"contention, area", {}},
                                  {"area", {}},
                                  {"conflicts", {}},
                                  {"duration", {}},
                                  {"contention, size", {}},
                                  {"contention, duration", {}},
                                  {"time", {}}};
  std::span<const LiveBuffer> buffers = problem.graph.liveness();
  const std::vector<double> contention = contentionOf(buffers);
  const std::vector<double> conflicts = conflictsOf(buffers);
  auto durationOf = [](const LiveBuffer &buffer) {
    return double(buffer.last) - buffer.first + 1;
  };
  double largest = 1;
  for (const LiveBuffer &buffer : buffers)
    largest = std::max(largest,
                       static_cast<double>(buffer.bytes) * durationOf(buffer));
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto size = static_cast<double>(buffers[i].bytes);
    double duration = durationOf(buffers[i]), area = size * duration;
    // Sizes are aligned, so a fraction below one decides only between equal
    // first keys.
    double tie = area / (2 * largest);
    double keys[] = {size + tie,
                     contention[i] + tie,
                     area,
                     conflicts[i] * size,
                     duration + tie,
                     contention[i] + size / (2 * largest),
                     contention[i] + duration / (2 * largest),
                     -static_cast<double>(buffers[i].first)};
    for (size_t rule = 0; rule < rules.size(); ++rule)
      rules[rule].keys.push_back(keys[rule]);
  }
  return rules;
}

static std::vector<uint32_t> orderBy(const std::vector<double> &keys) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return keys[a] > keys[b]; });
  return order;
}

/// The number of pairs that may be visited to place `numBuffers` buffers by all
/// rules. It is never smaller than 2,000 buffers need. For many buffers, it is
/// proportional to the number of buffers.
static uint64_t mostEffort(uint64_t numBuffers) {
  return uint64_t(4096) * std::max<uint64_t>(numBuffers, 8192);
}

/// Places the buffers of `problem` by every rule, once with each `Fit`. Stops
/// at the lower bound, or before the next order would exceed the allowed
/// effort.
static std::vector<Packing> packByRules(const Problem &problem) {
  std::vector<Packing> packings;
  const uint64_t effort = problem.graph.effortPerOrder();
  uint64_t left = mostEffort(problem.graph.numBuffers());
  if (left < effort)
    return packings;
  for (const OrderRule &rule : orderRules(problem))
    for (Fit fit : {Fit::Lowest, Fit::Tightest}) {
      packings.push_back(
          packInOrder(problem.graph, orderBy(rule.keys), fit, rule.name));
      left -= effort;
      if (packings.back().peak == problem.lowerBound || left < effort)
        return packings;
    }
  return packings;
}

/// Greedy placements of the buffers, the best one first. If there are many
/// buffers, there are also placements in the order of time, which take few
/// steps.
static std::vector<Packing> packGreedily(const Problem &problem) {
  std::vector<Packing> packings = packByRules(problem);
  auto isDone = [&] {
    return !packings.empty() && packings.back().peak == problem.lowerBound;
  };
  if (problem.graph.isLarge())
    for (Direction direction : {Direction::Forwards, Direction::Backwards})
      if (!isDone())
        packings.push_back(packByTime(problem.graph, direction));
  std::stable_sort(
      packings.begin(), packings.end(),
      [](const Packing &a, const Packing &b) { return a.peak < b.peak; });
  return packings;
}

/// Moves the buffers of at least `least` bytes to the front of `order`. Returns
/// their number.
static size_t bigOnesFirst(const Problem &problem, uint64_t least,
                           std::vector<uint32_t> &order) {
  auto isBig = [&](uint32_t i) { return problem.graph.sizeOf(i) >= least; };
  auto rest = std::stable_partition(order.begin(), order.end(), isBig);
  return static_cast<size_t>(rest - order.begin());
}

/// Searches from `start`, first among the big buffers alone and then among all
/// buffers. The big buffers decide most, and a try with few buffers is cheap.
static Packing search(const Problem &problem, const Packing &start,
                      uint64_t smallFraction, uint64_t effort) {
  Packing all = start;
  size_t numBig =
      bigOnesFirst(problem, problem.lowerBound / smallFraction, all.order);
  Packing big = packInOrder(problem.graph,
                            {all.order.begin(), all.order.begin() + numBig},
                            all.fit, "search");
  big = searchOrders(problem.graph, big, problem.lowerBound, effort / 2);
  std::copy(big.order.begin(), big.order.end(), all.order.begin());
  all = packInOrder(problem.graph, std::move(all.order), all.fit, "search");
  const Packing &better = all.peak <= start.peak ? all : start;
  return searchOrders(problem.graph, better, problem.lowerBound, effort / 2);
}

static Packing pack(const Problem &problem, uint64_t searchEffort) {
  // The size of a big buffer is at least the lower bound divided by one of
  // these numbers. No single number is best for all graphs.
  constexpr uint64_t smallFractions[] = {300, 100, 30, 1000};
  constexpr size_t numSearches = 8;
  std::vector<Packing> starts = packGreedily(problem);
  Packing best = starts.front();
  uint64_t n = problem.graph.numBuffers();
  if (n * n / 2 > searchEffort)
    return best;
  for (size_t i = 0; i < numSearches; ++i) {
    if (best.peak == problem.lowerBound)
      break;
    Packing found = search(problem, starts[i % starts.size()],
                           smallFractions[i % 4], searchEffort / numSearches);
    if (found.peak < best.peak)
      best = std::move(found);
  }
  return best;
}

static MemoryPlan solve(const Problem &problem, size_t numBuffers,
                        const MemoryPlanOptions &options) {
  MemoryPlan plan;
  plan.offsets.assign(numBuffers, 0);
  plan.lowerBoundBytes = problem.lowerBound;
  if (problem.ids.empty())
    return plan;
  Packing packing = pack(problem, options.searchEffort);
  for (size_t i = 0; i < problem.ids.size(); ++i)
    plan.offsets[problem.ids[i]] = packing.offsets[i];
  plan.peakBytes = packing.peak;
  plan.method = packing.method;
  return plan;
}

StatusOr<MemoryPlan>
weir::analysis::planMemory(std::span<const LiveBuffer> buffers,
                           const MemoryPlanOptions &options) {
  std::vector<uint64_t> bytes;
  for (const LiveBuffer &buffer : buffers)
    bytes.push_back(buffer.bytes);
  WEIR_RETURN_IF_ERROR(checkSizes(bytes, options.alignment));
  Problem problem;
  std::vector<LiveBuffer> kept;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    LiveBuffer buffer = buffers[i];
    if (buffer.last < buffer.first)
      return invalidArgument(fmt::format("buffer {} begins at step {} but ends "
                                         "at step {}",
                                         i, buffer.first, buffer.last));
    buffer.bytes = alignTo(buffer.bytes, options.alignment);
    if (!buffer.bytes)
      continue;
    problem.ids.push_back(i);
    kept.push_back(buffer);
  }
  problem.lowerBound = livePeak(kept, options.alignment).bytes;
  problem.graph = ConflictGraph(std::move(kept));
  return solve(problem, buffers.size(), options);
}

Status weir::analysis::checkMemoryPlan(std::span<const LiveBuffer> buffers,
                                       const MemoryPlan &plan,
                                       uint64_t alignment) {
  if (plan.offsets.size() != buffers.size())
    return internalError("the memory plan has a different number of buffers");
  struct Change {
    uint64_t step;
    bool isBegin;
    uint32_t buffer;
  };
  std::vector<Change> changes;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].bytes)
      continue;
    if (plan.offsets[i] % alignment ||
        plan.offsets[i] + buffers[i].bytes > plan.peakBytes)
      return internalError(
          fmt::format("buffer {} is not aligned or ends above the peak", i));
    changes.push_back({buffers[i].first, true, i});
    changes.push_back({uint64_t(buffers[i].last) + 1, false, i});
  }
  std::stable_sort(
      changes.begin(), changes.end(), [](const Change &a, const Change &b) {
        return a.step != b.step ? a.step < b.step : a.isBegin < b.isBegin;
      });
  // While no two live buffers overlap, a new buffer can overlap only the
  // neighbours of its offset.
  std::map<uint64_t, uint32_t> live;
  for (const Change &change : changes) {
    uint64_t begin = plan.offsets[change.buffer];
    if (!change.isBegin) {
      live.erase(begin);
      continue;
    }
    auto above = live.lower_bound(begin);
    auto clash = [&](uint32_t other) {
      return internalError(fmt::format("buffers {} and {} share bytes while "
                                       "both live",
                                       other, change.buffer));
    };
    if (above != live.end() &&
        above->first < begin + buffers[change.buffer].bytes)
      return clash(above->second);
    if (above != live.begin())
      if (auto below = std::prev(above);
          below->first + buffers[below->second].bytes > begin)
        return clash(below->second);
    live.emplace(begin, change.buffer);
  }
  return Status::ok();
}
