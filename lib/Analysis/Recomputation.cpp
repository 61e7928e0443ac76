//===- Recomputation.cpp - What to compute twice to save memory -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Recomputation.h"

#include "RangeMax.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

using namespace weir;
using namespace weir::analysis;

namespace {

/// The most times that a buffer may be freed before its last use.
constexpr uint32_t mostFrees = 8;
/// The most steps that may be repeated in front of one step to get one buffer
/// back.
constexpr size_t mostChained = 32;
/// The number of sweeps. A candidate that would have raised the peak is tried
/// again in the next sweep.
constexpr int numSweeps = 3;
/// An operand of a repeated step is kept, and not computed again, if the
/// operand is this many times smaller than the freed buffer.
constexpr uint64_t smallOperand = 8;

/// The steps that access a buffer, each with whether the buffer is freed after
/// the step. An access by a repetition counts as an access by the step that the
/// repetition precedes.
using Accesses = std::map<uint32_t, bool>;

/// A buffer that may be freed after step `begin`.
struct Candidate {
  double secondsPerByte = 0;
  uint32_t begin = 0;
  uint32_t buffer = 0;
  /// Whether `secondsPerByte` contains all steps that would be repeated.
  bool isExact = false;

  bool operator>(const Candidate &other) const {
    return std::tie(secondsPerByte, begin, buffer) >
           std::tie(other.secondsPerByte, other.begin, other.buffer);
  }
};

/// A change of the number of live bytes in the steps from `first` to `last`.
struct LiveChange {
  uint32_t first, last;
  int64_t bytes;
};

/// All changes that freeing one buffer makes, so that they can be undone.
struct Trial {
  /// The new accesses, and the accesses after which a buffer is now freed, as
  /// pairs of buffer and step.
  std::vector<std::pair<uint32_t, uint32_t>> inserted, freed;
  std::vector<LiveChange> changes;
  double seconds = 0;
  size_t numChained = 0;
  bool isPossible = true;
};

/// Frees one buffer after the other, until few enough bytes are live. A step
/// and the repetitions before it count as one point in time.
class Recomputer {
public:
  Recomputer(const RecomputeProblem &problem, uint64_t mostBytes);
  void run();
  /// The repetitions, including repetitions whose copies nothing reads.
  std::vector<Repetition> list() const;

private:
  using Queue = std::priority_queue<Candidate, std::vector<Candidate>,
                                    std::greater<Candidate>>;

  int64_t bytesOf(uint32_t buffer) const {
    return static_cast<int64_t>(
        alignTo(problem.buffers[buffer].bytes, defaultAlignment));
  }
  const RecomputeStep &writerOf(uint32_t buffer) const {
    return problem.steps[buffers[buffer].writer];
  }
  void addAccess(uint32_t buffer, uint32_t step);
  void addCandidate(uint32_t buffer, uint32_t begin);
  void consider(Candidate candidate);
  Trial tryToFree(uint32_t buffer, Accesses::iterator begin, uint32_t end);
  void insert(uint32_t buffer, uint32_t step, Trial &trial);
  void free(uint32_t buffer, Accesses::iterator access, Trial &trial);
  void repeatWriter(uint32_t buffer, uint32_t before, Trial &trial);
  bool need(uint32_t buffer, uint32_t step, uint64_t freedBytes, Trial &trial);
  bool shouldRepeat(uint32_t buffer, uint32_t before,
                    uint64_t freedBytes) const;
  bool apply(const Trial &trial);
  void keep(const Trial &trial);
  void takeBack(const Trial &trial);

  const RecomputeProblem &problem;
  const int64_t target;
  struct Buffer {
    /// The step that writes the buffer.
    uint32_t writer = 0;
    Accesses accesses;
    uint32_t numFrees = 0;
  };
  /// The buffers of the problem.
  std::vector<Buffer> buffers;
  RangeMax live;
  Queue candidates;
  /// The candidates that would have raised the peak.
  std::vector<Candidate> rejected;
};

} // namespace

//===----------------------------------------------------------------------===//
// The plain sequence
//===----------------------------------------------------------------------===//

Recomputer::Recomputer(const RecomputeProblem &problem, uint64_t mostBytes)
    : problem(problem), target(static_cast<int64_t>(std::min(
                            mostBytes, static_cast<uint64_t>(INT64_MAX / 4)))),
      buffers(problem.buffers.size()),
      live(static_cast<uint32_t>(problem.steps.size())) {
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    for (uint32_t buffer : problem.steps[step].writes) {
      buffers[buffer].writer = step;
      addAccess(buffer, step);
    }
    for (uint32_t buffer : problem.steps[step].reads)
      addAccess(buffer, step);
  }
  for (uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
    const RecomputeBuffer &given = problem.buffers[buffer];
    if (given.first <= given.last) {
      addAccess(buffer, given.first);
      addAccess(buffer, given.last);
    }
    const Accesses &accesses = buffers[buffer].accesses;
    if (accesses.empty())
      continue;
    live.add(accesses.begin()->first, accesses.rbegin()->first,
             bytesOf(buffer));
    for (const auto &[step, isFreed] : accesses)
      addCandidate(buffer, step);
  }
}

void Recomputer::addAccess(uint32_t buffer, uint32_t step) {
  // Something outside of the problem may still use the buffer after the last
  // step.
  const auto last = static_cast<uint32_t>(problem.steps.size()) - 1;
  buffers[buffer].accesses.try_emplace(std::min(step, last), false);
}

void Recomputer::addCandidate(uint32_t buffer, uint32_t begin) {
  if (problem.buffers[buffer].mayBeFreed && bytesOf(buffer) != 0)
    candidates.push(
        {writerOf(buffer).seconds / static_cast<double>(bytesOf(buffer)), begin,
         buffer});
}

//===----------------------------------------------------------------------===//
// One buffer
//===----------------------------------------------------------------------===//

void Recomputer::insert(uint32_t buffer, uint32_t step, Trial &trial) {
  buffers[buffer].accesses.emplace(step, false);
  trial.inserted.emplace_back(buffer, step);
}

void Recomputer::free(uint32_t buffer, Accesses::iterator access,
                      Trial &trial) {
  access->second = true;
  ++buffers[buffer].numFrees;
  trial.freed.emplace_back(buffer, access->first);
  trial.seconds += writerOf(buffer).seconds;
}

/// Whether to compute `buffer` again for step `before`, if its last access
/// comes before that step. The alternative is to keep the buffer until the
/// step.
bool Recomputer::shouldRepeat(uint32_t buffer, uint32_t before,
                              uint64_t freedBytes) const {
  return problem.buffers[buffer].mayBeFreed &&
         buffers[buffer].numFrees < mostFrees &&
         before <= writerOf(buffer).lastRepeat &&
         smallOperand * problem.buffers[buffer].bytes > freedBytes;
}

/// Makes `buffer` live in `step`. Returns whether the writer of the buffer is
/// repeated before that step.
bool Recomputer::need(uint32_t buffer, uint32_t step, uint64_t freedBytes,
                      Trial &trial) {
  Accesses &all = buffers[buffer].accesses;
  auto next = all.lower_bound(step);
  if (next != all.end() && next->first == step)
    return false;
  if (next == all.begin()) {
    trial.isPossible = false;
    return false;
  }
  auto before = std::prev(next);
  const bool wasLive = !before->second;
  const bool isLast = next == all.end();
  bool isRepeated = !wasLive;
  if (!wasLive) {
    // The buffer was going to be computed again for a later step. Now it is
    // computed for this step.
    trial.changes.push_back({step, next->first - 1, bytesOf(buffer)});
  } else if (isLast && shouldRepeat(buffer, step, freedBytes)) {
    free(buffer, before, trial);
    trial.changes.push_back({step, step, bytesOf(buffer)});
    isRepeated = true;
  } else if (isLast) {
    trial.changes.push_back({before->first + 1, step, bytesOf(buffer)});
  }
  insert(buffer, step, trial);
  return isRepeated;
}

/// Repeats the writer of `buffer` before step `before`, and the writers of its
/// operands that are no longer live.
void Recomputer::repeatWriter(uint32_t buffer, uint32_t before, Trial &trial) {
  const uint64_t freedBytes = problem.buffers[buffer].bytes;
  std::vector<uint32_t> pending = {buffer};
  while (!pending.empty() && trial.isPossible) {
    const uint32_t next = pending.back();
    pending.pop_back();
    if (++trial.numChained > mostChained ||
        before > writerOf(next).lastRepeat) {
      trial.isPossible = false;
      return;
    }
    for (uint32_t other : writerOf(next).writes)
      if (other != next)
        trial.changes.push_back({before, before, bytesOf(other)});
    for (uint32_t operand : writerOf(next).reads)
      if (need(operand, before, freedBytes, trial))
        pending.push_back(operand);
  }
}

/// Frees `buffer` between its accesses `begin` and `end`.
Trial Recomputer::tryToFree(uint32_t buffer, Accesses::iterator begin,
                            uint32_t end) {
  Trial trial;
  free(buffer, begin, trial);
  trial.changes.push_back({begin->first + 1, end - 1, -bytesOf(buffer)});
  repeatWriter(buffer, end, trial);
  return trial;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Changes the live bytes. If that makes a new peak, changes them back and
/// returns false.
bool Recomputer::apply(const Trial &trial) {
  std::vector<int64_t> before;
  for (const LiveChange &change : trial.changes)
    before.push_back(live.max(change.first, change.last));
  for (const LiveChange &change : trial.changes)
    live.add(change.first, change.last, change.bytes);
  bool isGood = true;
  for (size_t i = 0; i < before.size(); ++i)
    isGood &= live.max(trial.changes[i].first, trial.changes[i].last) <=
              std::max(target, before[i]);
  if (!isGood)
    for (const LiveChange &change : trial.changes)
      live.add(change.first, change.last, -change.bytes);
  return isGood;
}

void Recomputer::takeBack(const Trial &trial) {
  for (const auto &[buffer, step] : trial.freed) {
    buffers[buffer].accesses.at(step) = false;
    --buffers[buffer].numFrees;
  }
  for (const auto &[buffer, step] : trial.inserted)
    buffers[buffer].accesses.erase(step);
}

/// Keeps the changes of `trial`. A buffer with a new access becomes a candidate
/// before and after that access.
void Recomputer::keep(const Trial &trial) {
  for (const auto &[buffer, step] : trial.inserted) {
    addCandidate(buffer, step);
    const Accesses &accesses = buffers[buffer].accesses;
    auto access = accesses.find(step);
    if (access != accesses.begin() && !std::prev(access)->second)
      addCandidate(buffer, std::prev(access)->first);
  }
}

void Recomputer::consider(Candidate candidate) {
  const uint32_t buffer = candidate.buffer;
  Accesses &accesses = buffers[buffer].accesses;
  auto begin = accesses.find(candidate.begin);
  auto end = std::next(begin);
  if (begin->second || end == accesses.end() ||
      end->first <= begin->first + 1 || buffers[buffer].numFrees >= mostFrees ||
      live.max(begin->first + 1, end->first - 1) <= target)
    return;
  Trial trial = tryToFree(buffer, begin, end->first);
  if (!trial.isPossible)
    return takeBack(trial);
  const double exact = trial.seconds / static_cast<double>(bytesOf(buffer));
  if (exact > candidate.secondsPerByte && !candidate.isExact) {
    takeBack(trial);
    candidates.push({exact, candidate.begin, buffer, /*isExact=*/true});
  } else if (!apply(trial)) {
    takeBack(trial);
    rejected.push_back(candidate);
  } else {
    keep(trial);
  }
}

void Recomputer::run() {
  for (int sweep = 0; sweep < numSweeps; ++sweep) {
    while (!candidates.empty() && live.max() > target) {
      const Candidate next = candidates.top();
      candidates.pop();
      consider(next);
    }
    for (const Candidate &again : std::exchange(rejected, {}))
      candidates.push(again);
  }
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

std::vector<Repetition> Recomputer::list() const {
  std::vector<std::vector<uint32_t>> accessed(problem.steps.size());
  for (uint32_t buffer = 0; buffer < buffers.size(); ++buffer)
    if (buffers[buffer].numFrees != 0)
      for (const auto &[step, isFreed] : buffers[buffer].accesses)
        accessed[step].push_back(buffer);
  std::vector<bool> isFree(buffers.size());
  std::vector<Repetition> repetitions;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    // Repetitions come in the order of their steps, because a step reads only
    // what earlier steps have written.
    std::map<uint32_t, std::vector<uint32_t>> again;
    for (uint32_t buffer : accessed[step]) {
      if (isFree[buffer])
        again[buffers[buffer].writer].push_back(buffer);
      isFree[buffer] = buffers[buffer].accesses.at(step);
    }
    for (auto &[writer, replaced] : again)
      repetitions.push_back({writer, step, std::move(replaced)});
  }
  return repetitions;
}

/// Removes repetitions whose copies nothing reads.
static void removeUnread(const RecomputeProblem &problem,
                         std::vector<Repetition> &repetitions) {
  std::vector<bool> isRead(problem.buffers.size());
  std::vector<Repetition> kept;
  auto next = repetitions.rbegin();
  for (auto step = static_cast<uint32_t>(problem.steps.size()); step-- > 0;) {
    for (uint32_t buffer : problem.steps[step].reads)
      isRead[buffer] = true;
    for (; next != repetitions.rend() && next->before == step; ++next) {
      bool isNeeded = false;
      for (uint32_t buffer : next->replaced)
        isNeeded |= isRead[buffer];
      if (!isNeeded)
        continue;
      for (uint32_t buffer : next->replaced)
        isRead[buffer] = false;
      for (uint32_t buffer : problem.steps[next->step].reads)
        isRead[buffer] = true;
      kept.push_back(std::move(*next));
    }
  }
  repetitions.assign(std::move_iterator(kept.rbegin()),
                     std::move_iterator(kept.rend()));
}

RecomputePlan weir::analysis::planRecomputation(const RecomputeProblem &problem,
                                                uint64_t mostBytes) {
  RecomputePlan plan;
  if (problem.steps.empty())
    return plan;
  Recomputer recomputer(problem, mostBytes);
  recomputer.run();
  plan.repetitions = recomputer.list();
  removeUnread(problem, plan.repetitions);
  for (const Repetition &repetition : plan.repetitions)
    plan.seconds += problem.steps[repetition.step].seconds;
  return plan;
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

std::vector<LiveBuffer>
weir::analysis::livesWith(const RecomputeProblem &problem,
                          std::span<const Repetition> repetitions) {
  std::vector<LiveBuffer> lives;
  std::vector<uint32_t> current;
  for (const RecomputeBuffer &buffer : problem.buffers) {
    current.push_back(static_cast<uint32_t>(lives.size()));
    lives.push_back({buffer.bytes, ~0u, 0});
  }
  uint32_t now = 0;
  auto use = [&](uint32_t copy) {
    lives[copy].first = std::min(lives[copy].first, now);
    lives[copy].last = std::max(lives[copy].last, now);
  };
  size_t next = 0;
  std::vector<uint32_t> places;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    for (; next < repetitions.size() && repetitions[next].before == step;
         ++next, ++now) {
      const Repetition &again = repetitions[next];
      for (uint32_t buffer : problem.steps[again.step].reads)
        use(current[buffer]);
      for (uint32_t buffer : problem.steps[again.step].writes) {
        if (std::ranges::find(again.replaced, buffer) != again.replaced.end())
          current[buffer] = static_cast<uint32_t>(lives.size());
        lives.push_back({problem.buffers[buffer].bytes, now, now});
      }
    }
    places.push_back(now);
    for (const auto *buffers :
         {&problem.steps[step].reads, &problem.steps[step].writes})
      for (uint32_t buffer : *buffers)
        use(current[buffer]);
    ++now;
  }
  // Uses outside of the problem extend the life of a buffer.
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const RecomputeBuffer &given = problem.buffers[i];
    if (given.first > given.last)
      continue;
    LiveBuffer &life = lives[i];
    auto place = [&](uint32_t step) {
      return step < places.size() ? places[step] : now;
    };
    life.first = std::min(life.first, place(given.first));
    life.last = std::max(life.last, place(given.last));
  }
  for (LiveBuffer &life : lives)
    if (life.last < life.first)
      life = {};
  return lives;
}
