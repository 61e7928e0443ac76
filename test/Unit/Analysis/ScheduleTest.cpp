//===- ScheduleTest.cpp - Order between commands of several queues --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Hand-made schedules for every finding, and random ones against plain
// reachability in the graph of commands.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace weir;
using namespace weir::analysis;

namespace {

Command work(std::vector<ByteRange> reads, std::vector<ByteRange> writes) {
  return {CommandKind::Work, 0, std::move(reads), std::move(writes)};
}
Command record(uint32_t event, int64_t value = 1) {
  return {CommandKind::Record, event, {}, {}, {}, value};
}
Command waitFor(uint32_t event, int64_t value = 1) {
  return {CommandKind::Wait, event, {}, {}, {}, value};
}

/// `numBuffers` buffers in no arena.
Schedule makeSchedule(size_t numBuffers,
                      std::vector<std::vector<Command>> queues,
                      uint32_t numEvents = 4) {
  return {
      std::vector<BufferPlace>(numBuffers), std::move(queues), numEvents, {}};
}

std::vector<std::string> messages(const Schedule &schedule) {
  std::vector<std::string> out;
  for (const Finding &finding : verifySchedule(schedule))
    out.push_back(finding.toString());
  return out;
}

/// The findings about two commands that are not ordered.
std::vector<Finding> hazards(const Schedule &schedule) {
  std::vector<Finding> out = verifySchedule(schedule);
  std::erase_if(out, [](const Finding &finding) {
    return finding.kind > FindingKind::WriteAfterWrite;
  });
  return out;
}

using Messages = std::vector<std::string>;

/// Which commands are complete before which others start, by reachability.
class Reachability {
public:
  Reachability(std::span<const uint32_t> sizes,
               std::span<const Dependency> edges)
      : begins(sizes.size() + 1) {
    for (size_t i = 0; i < sizes.size(); ++i)
      begins[i + 1] = begins[i] + sizes[i];
    size_t n = begins.back();
    before.assign(n, std::vector<bool>(n));
    for (size_t q = 0; q < sizes.size(); ++q)
      for (uint32_t i = 1; i < sizes[q]; ++i)
        before[begins[q] + i - 1][begins[q] + i] = true;
    for (const Dependency &edge : edges)
      before[at(edge.from)][at(edge.to)] = true;
    for (size_t k = 0; k < n; ++k)
      for (size_t i = 0; i < n; ++i)
        if (before[i][k])
          for (size_t j = 0; j < n; ++j)
            if (before[k][j])
              before[i][j] = true;
  }
  bool isBefore(CommandId a, CommandId b) const { return before[at(a)][at(b)]; }
  bool isUnordered(CommandId a, CommandId b) const {
    return a != b && !isBefore(a, b) && !isBefore(b, a);
  }
  bool operator==(const Reachability &other) const {
    return before == other.before;
  }

private:
  size_t at(CommandId id) const { return begins[id.queue] + id.index; }

  std::vector<size_t> begins;
  std::vector<std::vector<bool>> before;
};

/// Queues of random work, and random dependencies that some order satisfies.
struct RandomProgram {
  std::vector<uint32_t> sizes;
  std::vector<Dependency> edges;

  explicit RandomProgram(std::mt19937 &random) : sizes(2 + random() % 3) {
    std::vector<CommandId> order;
    for (int n = 4 + random() % 24; n > 0; --n) {
      auto queue = static_cast<uint32_t>(random() % sizes.size());
      order.push_back({queue, sizes[queue]++});
    }
    for (size_t n = random() % (2 * order.size()); n > 0; --n) {
      size_t to = random() % order.size();
      size_t from = random() % order.size();
      if (from < to)
        edges.push_back({order[from], order[to]});
    }
  }

  /// The program with random accesses to 48 bytes of one arena, ordered by
  /// `events`. `ids` receives, per queue, where each command went.
  Schedule schedule(std::mt19937 &random, const EventAssignment &events,
                    std::map<CommandId, CommandId> &ids) const {
    Schedule out =
        makeSchedule(6, {}, static_cast<uint32_t>(events.records.size()));
    for (uint32_t i = 0; i < 6; ++i)
      out.buffers[i] = {0, 7 * i};
    auto range = [&] {
      auto begin = random() % 10;
      return ByteRange{static_cast<uint32_t>(random() % 6), begin,
                       begin + random() % 8};
    };
    for (uint32_t q = 0; q < sizes.size(); ++q) {
      std::vector<Command> queue;
      for (uint32_t i = 0; i < sizes[q]; ++i) {
        CommandId id{q, i};
        for (const EventWait &w : events.waits)
          if (w.wait == id)
            queue.push_back(waitFor(w.event));
        ids[id] = {q, static_cast<uint32_t>(queue.size())};
        queue.push_back(work({range()}, {}));
        if (random() % 2)
          queue.back().writes.push_back(range());
        for (const EventRecord &r : events.records)
          if (r.record == id)
            queue.push_back(record(r.event));
      }
      out.queues.push_back(std::move(queue));
    }
    return out;
  }
};

/// An access in bytes of the arena.
struct PlainAccess {
  CommandId id;
  bool isWrite;
  uint64_t begin, end;
};

std::vector<PlainAccess> accessesOf(const Schedule &schedule,
                                    const std::map<CommandId, CommandId> &ids) {
  std::vector<PlainAccess> out;
  for (auto [id, at] : ids) {
    const Command &command = schedule.queues[at.queue][at.index];
    for (bool isWrite : {false, true})
      for (const ByteRange &r : isWrite ? command.writes : command.reads) {
        uint64_t offset = schedule.buffers[r.buffer].offset;
        out.push_back({id, isWrite, offset + r.begin, offset + r.end});
      }
  }
  return out;
}

} // namespace

// An event makes a producer and its reader on another queue safe; without its
// wait there is a hazard.
TEST(VerifyScheduleTest, eventsOrderQueues) {
  Schedule schedule = makeSchedule(1, {{work({}, {{0, 0, 64}}), record(0)},
                                       {waitFor(0), work({{0, 0, 64}}, {})}});
  EXPECT_EQ(messages(schedule), Messages{});
  schedule.queues[1].erase(schedule.queues[1].begin());
  std::vector<Finding> findings = verifySchedule(schedule);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].begin, 0u);
  EXPECT_EQ(findings[0].end, 64u);
}

// A wait is for the first record that is large enough; one for a value below 1
// is for none.
TEST(VerifyScheduleTest, valuesOrderQueues) {
  auto kindsOf = [](int64_t value) {
    std::vector<FindingKind> out;
    for (const Finding &finding : verifySchedule(
             makeSchedule(2, {{work({}, {{0, 0, 8}}), record(0, 2),
                               work({}, {{1, 0, 8}}), record(0, 5)},
                              {waitFor(0, value), work({{0, 0, 8}}, {}),
                               work({{1, 0, 8}}, {})}})))
      out.push_back(finding.kind);
    return out;
  };
  EXPECT_EQ(kindsOf(-3).size(), 2u);
  EXPECT_EQ(kindsOf(0).size(), 2u);
  EXPECT_EQ(kindsOf(1).size(), 1u);
  EXPECT_EQ(kindsOf(2).size(), 1u);
  EXPECT_EQ(kindsOf(3).size(), 0u);
  EXPECT_EQ(kindsOf(5).size(), 0u);
  EXPECT_EQ(kindsOf(6), std::vector{FindingKind::NeverRecorded});
}

// Values of an event grow, in one queue.
TEST(VerifyScheduleTest, valuesGrow) {
  EXPECT_EQ(
      messages(makeSchedule(0, {{record(0), record(0, 3), record(0, 2)}})),
      Messages{"queue 0 command 2 records value 2 of event 0 again, after "
               "queue 0 command 1"});
  EXPECT_EQ(
      messages(makeSchedule(0, {{record(0)}, {record(0, 2)}})),
      Messages{"queue 1 command 0 records value 2 of event 0 again, after "
               "queue 0 command 0"});
  EXPECT_EQ(
      messages(makeSchedule(0, {{record(0), waitFor(1, 2), record(0, 2)},
                                {record(1), waitFor(0, 2), record(1, 2)}})),
      (Messages{"deadlock: queue 0 command 1 waits for value 2 of event "
                "1, but its record queue 1 command 2 waits for it in turn",
                "deadlock: queue 1 command 1 waits for value 2 of event "
                "0, but its record queue 0 command 2 waits for it in "
                "turn"}));
}

// Order passes through a third queue.
TEST(VerifyScheduleTest, orderIsTransitive) {
  Schedule schedule = makeSchedule(1, {{work({}, {{0, 0, 8}}), record(0)},
                                       {waitFor(0), record(1)},
                                       {waitFor(1), work({}, {{0, 0, 8}})}});
  EXPECT_EQ(messages(schedule), Messages{});
}

// Each kind of hazard, and the absence of one between two readers or on
// disjoint bytes.
TEST(VerifyScheduleTest, findsEachKindOfHazard) {
  auto kinds = [](Command a, Command b) {
    std::vector<FindingKind> out;
    for (const Finding &f : verifySchedule(makeSchedule(1, {{a}, {b}})))
      out.push_back(f.kind);
    return out;
  };
  ByteRange low{0, 0, 8}, high{0, 8, 16}, middle{0, 4, 12};
  using Kinds = std::vector<FindingKind>;
  EXPECT_EQ(kinds(work({}, {low}), work({}, {middle})),
            Kinds{FindingKind::WriteAfterWrite});
  EXPECT_EQ(kinds(work({low}, {}), work({middle}, {})), Kinds{});
  EXPECT_EQ(kinds(work({}, {low}), work({}, {high})), Kinds{});
  Kinds mixed = kinds(work({low}, {}), work({}, {middle}));
  ASSERT_EQ(mixed.size(), 1u);
  EXPECT_TRUE(mixed[0] == FindingKind::WriteAfterRead ||
              mixed[0] == FindingKind::ReadAfterWrite);
}

// Buffers that share bytes of an arena conflict; those of different arenas or
// of none do not.
TEST(VerifyScheduleTest, arenaBytesConflict) {
  Schedule schedule =
      makeSchedule(2, {{work({}, {{0, 0, 100}})}, {work({}, {{1, 0, 100}})}});
  EXPECT_EQ(messages(schedule), Messages{});
  schedule.buffers = {{0, 0}, {0, 64}};
  std::vector<Finding> findings = verifySchedule(schedule);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].firstBuffer + findings[0].secondBuffer, 1u);
  EXPECT_EQ(findings[0].begin, 64u);
  EXPECT_EQ(findings[0].end, 100u);
  schedule.buffers = {{0, 0}, {1, 64}};
  EXPECT_EQ(messages(schedule), Messages{});
  schedule.buffers = {{0, 0}, {0, 100}};
  EXPECT_EQ(messages(schedule), Messages{});
}

// Waits that never end: without a record, with a record after the wait, in a
// cycle. A queue that only waits for a cycle is not reported.
TEST(VerifyScheduleTest, findsWaitsThatAreNeverOver) {
  EXPECT_EQ(messages(makeSchedule(0, {{waitFor(3)}})),
            Messages{"queue 0 command 0 waits for event 3, which nothing "
                     "records"});
  EXPECT_EQ(messages(makeSchedule(0, {{waitFor(0), record(0)}})),
            Messages{"deadlock: queue 0 command 0 waits for event 0, but its "
                     "record queue 0 command 1 waits for it in turn"});
  EXPECT_EQ(
      messages(makeSchedule(
          0, {{waitFor(0), record(1)}, {waitFor(1), record(0)}, {waitFor(0)}})),
      (Messages{"deadlock: queue 0 command 0 waits for event 0, but its "
                "record queue 1 command 1 waits for it in turn",
                "deadlock: queue 1 command 0 waits for event 1, but its "
                "record queue 0 command 1 waits for it in turn"}));
}

// Broken input is a finding, not a crash.
TEST(VerifyScheduleTest, findsMalformedCommands) {
  EXPECT_EQ(messages(makeSchedule(0, {{record(0), record(0)}})),
            Messages{"queue 0 command 1 records event 0 again, after queue 0 "
                     "command 0"});
  for (Command command : {record(4), waitFor(~0u), work({{1, 0, 8}}, {}),
                          work({}, {{0, 8, 4}})}) {
    auto findings = verifySchedule(makeSchedule(1, {{command}}));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, FindingKind::Malformed);
    EXPECT_FALSE(
        liveSteps(makeSchedule(1, {{command}}), std::vector<uint32_t>{0}));
  }
  Schedule far = makeSchedule(1, {{work({{0, 0, 16}}, {})}});
  far.buffers[0] = {0, UINT64_MAX - 8};
  EXPECT_EQ(verifySchedule(far).size(), 1u);
}

// On random programs: every finding is a conflict that reachability does not
// order, and every command with such a conflict on a byte has a finding there.
TEST(VerifyScheduleTest, agreesWithReachability) {
  std::mt19937 random(21);
  int numFindings = 0, numClean = 0;
  for (int round = 0; round < 2000; ++round) {
    RandomProgram program(random);
    auto events = assignEvents(program.sizes, program.edges);
    ASSERT_TRUE(events.isOk());
    std::map<CommandId, CommandId> ids, back;
    Schedule schedule = program.schedule(random, *events, ids);
    for (auto [id, at] : ids)
      back[at] = id;
    Reachability order(program.sizes, program.edges);
    std::vector<PlainAccess> accesses = accessesOf(schedule, ids);
    std::vector<Finding> findings = hazards(schedule);
    numFindings += !findings.empty();
    numClean += findings.empty();

    for (const Finding &f : findings) {
      CommandId a = back.at(f.first), b = back.at(f.second);
      EXPECT_TRUE(order.isUnordered(a, b));
      bool firstWrites = f.kind != FindingKind::WriteAfterRead;
      bool secondWrites = f.kind != FindingKind::ReadAfterWrite;
      auto touches = [&](CommandId id, bool isWrite) {
        return std::any_of(accesses.begin(), accesses.end(),
                           [&](const PlainAccess &x) {
                             return x.id == id && x.isWrite == isWrite &&
                                    x.begin <= f.begin && f.end <= x.end;
                           });
      };
      EXPECT_TRUE(touches(a, firstWrites));
      EXPECT_TRUE(touches(b, secondWrites));
      EXPECT_LT(f.begin, f.end);
    }
    for (const PlainAccess &a : accesses)
      for (const PlainAccess &b : accesses) {
        if (!order.isUnordered(a.id, b.id) || !(a.isWrite || b.isWrite))
          continue;
        for (uint64_t byte = std::max(a.begin, b.begin);
             byte < std::min(a.end, b.end); ++byte)
          EXPECT_TRUE(std::any_of(
              findings.begin(), findings.end(), [&](const Finding &f) {
                bool isOne =
                    f.second == ids.at(a.id) || f.second == ids.at(b.id);
                return isOne && f.begin <= byte && byte < f.end;
              }));
      }
  }
  EXPECT_GT(numFindings, 100);
  EXPECT_GT(numClean, 20);
}

// A pipeline of 100,000 commands over four queues is clean; removing any one
// of some of its waits is found.
TEST(VerifyScheduleTest, handlesLongPrograms) {
  constexpr uint32_t numQueues = 4, length = 8333;
  Schedule schedule = makeSchedule(
      16, std::vector<std::vector<Command>>(numQueues), numQueues * length);
  // Step s of queue q reads what queue q - 1 wrote in it and writes its own
  // buffer, of which four take turns; an event goes forward for the data and
  // back for the space.
  for (uint32_t q = 0; q < numQueues; ++q)
    for (uint32_t s = 0; s < length; ++s) {
      std::vector<Command> &queue = schedule.queues[q];
      Command launch = work({}, {{4 * q + s % 4, 0, 4096, s / 4}});
      if (q > 0) {
        queue.push_back(waitFor((q - 1) * length + s));
        launch.reads.push_back({4 * (q - 1) + s % 4, 0, 4096, s / 4});
      }
      if (q + 1 < numQueues && s >= 4)
        queue.push_back(waitFor((q + 1) * length + s - 4));
      queue.push_back(launch);
      queue.push_back(record(q * length + s));
    }
  EXPECT_EQ(verifySchedule(schedule).size(), 0u);
  for (uint32_t q = 1; q < numQueues; ++q) {
    Schedule broken = schedule;
    size_t at = broken.queues[q].size() / 2;
    while (broken.queues[q][at].kind != CommandKind::Wait)
      ++at;
    broken.queues[q].erase(broken.queues[q].begin() +
                           static_cast<std::ptrdiff_t>(at));
    EXPECT_GT(verifySchedule(broken).size(), 0u);
  }
}

// Program order, a common event and a later wait each make a wait superfluous.
TEST(AssignEventsTest, impliedWaitsAreElided) {
  std::vector<uint32_t> sizes = {3, 3, 2};
  std::vector<Dependency> edges = {
      {{0, 0}, {1, 1}}, // kept: the first of queue 1 that needs queue 0
      {{0, 0}, {1, 2}}, // implied by the wait before it
      {{0, 1}, {2, 1}}, // kept
      {{0, 0}, {2, 1}}, // implied: 0.1 is behind 0.0
      {{1, 0}, {0, 2}}, // kept
      {{0, 0}, {0, 2}}, // program order
      {{1, 1}, {2, 1}}, // kept, and orders nothing of 0.1
  };
  auto events = assignEvents(sizes, edges);
  ASSERT_TRUE(events.isOk());
  ASSERT_EQ(events->records.size(), 4u);
  ASSERT_EQ(events->waits.size(), 4u);
  EXPECT_EQ(events->records[0].record, (CommandId{0, 0}));
  EXPECT_EQ(events->records[3].record, (CommandId{1, 1}));
  EXPECT_EQ(events->waits[0].wait, (CommandId{0, 2}));
  EXPECT_EQ(events->waits[0].event, 2u);
}

// Two readers on different queues share the event of their producer.
TEST(AssignEventsTest, oneEventServesManyWaits) {
  auto events =
      assignEvents(std::vector<uint32_t>{1, 1, 1},
                   std::vector<Dependency>{{{0, 0}, {1, 0}}, {{0, 0}, {2, 0}}});
  ASSERT_TRUE(events.isOk());
  EXPECT_EQ(events->records.size(), 1u);
  EXPECT_EQ(events->waits.size(), 2u);
}

// Cycles and commands that do not exist are errors.
TEST(AssignEventsTest, refusesCycles) {
  std::vector<uint32_t> sizes = {2, 2};
  auto fails = [&](std::vector<Dependency> edges) {
    return !assignEvents(sizes, edges).isOk();
  };
  EXPECT_TRUE(fails({{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}}));
  EXPECT_TRUE(fails({{{0, 1}, {0, 0}}}));
  EXPECT_TRUE(fails({{{0, 0}, {0, 0}}}));
  EXPECT_TRUE(fails({{{0, 2}, {1, 0}}}));
  EXPECT_TRUE(fails({{{0, 0}, {2, 0}}}));
  EXPECT_FALSE(fails({{{0, 1}, {1, 0}}}));
}

// On random programs the kept waits order exactly what the dependencies order,
// and none of them is redundant.
TEST(AssignEventsTest, isTheTransitiveReduction) {
  std::mt19937 random(22);
  for (int round = 0; round < 1000; ++round) {
    RandomProgram program(random);
    auto events = assignEvents(program.sizes, program.edges);
    ASSERT_TRUE(events.isOk());
    std::vector<Dependency> kept;
    for (const EventWait &wait : events->waits)
      kept.push_back({events->records[wait.event].record, wait.wait});
    Reachability wanted(program.sizes, program.edges);
    EXPECT_TRUE(Reachability(program.sizes, kept) == wanted);
    for (size_t i = 0; i < kept.size(); ++i) {
      std::vector<Dependency> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(Reachability(program.sizes, fewer) == wanted);
    }
  }
}

// A buffer that another queue reads is live until the owner waits for the
// reader. Without such a wait it is live to the end of the program.
TEST(LiveStepsTest, otherQueuesExtendLife) {
  Schedule schedule = makeSchedule(
      3, {{work({}, {{0, 0, 8}}), record(0), work({{0, 0, 8}}, {{1, 0, 8}}),
           waitFor(1), work({{1, 0, 8}}, {})},
          {waitFor(0), work({{0, 0, 8}}, {{2, 0, 8}}), record(1)}});
  schedule.queues[1].push_back(work({{2, 0, 8}}, {}));
  auto steps = liveSteps(schedule, std::vector<uint32_t>{0, 0, 0});
  ASSERT_TRUE(steps.isOk()) << steps.status().message();
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_EQ((*steps)[0].first, 0u);
  EXPECT_EQ((*steps)[0].last, 3u);
  EXPECT_EQ((*steps)[1].first, 2u);
  EXPECT_EQ((*steps)[1].last, 4u);
  // Written once steps 0 and 1 are complete, and read with no wait behind.
  EXPECT_EQ((*steps)[2].first, 2u);
  EXPECT_EQ((*steps)[2].last, 5u);
}

// On random programs, buffers whose live steps are apart never have unordered
// uses, so they may share bytes.
TEST(LiveStepsTest, disjointStepsAreSafe) {
  std::mt19937 random(23);
  int numDisjoint = 0;
  for (int round = 0; round < 2000; ++round) {
    RandomProgram program(random);
    auto events = assignEvents(program.sizes, program.edges);
    ASSERT_TRUE(events.isOk());
    std::map<CommandId, CommandId> ids;
    Schedule schedule = program.schedule(random, *events, ids);
    std::vector<uint32_t> owners(6, 0);
    auto steps = liveSteps(schedule, owners);
    ASSERT_TRUE(steps.isOk());
    Reachability order(program.sizes, program.edges);
    std::vector<std::vector<CommandId>> uses(6);
    for (auto [id, at] : ids) {
      const Command &command = schedule.queues[at.queue][at.index];
      for (const auto *ranges : {&command.reads, &command.writes})
        for (const ByteRange &range : *ranges)
          uses[range.buffer].push_back(id);
    }
    for (const LiveSteps &a : *steps)
      for (const LiveSteps &b : *steps) {
        if (a.last >= b.first)
          continue;
        ++numDisjoint;
        for (CommandId x : uses[a.buffer])
          for (CommandId y : uses[b.buffer])
            EXPECT_TRUE(order.isBefore(x, y));
      }
  }
  EXPECT_GT(numDisjoint, 100);
}
