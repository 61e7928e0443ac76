//===- DataFlowTest.cpp - What the commands of a schedule see -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Random programs of one queue, in which buffers share bytes and are written
// several times, also in repeats, against a simulation byte by byte.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace weir;
using namespace weir::analysis;

namespace {
using Kinds = std::vector<FindingKind>;

Kinds kindsOf(const Schedule &schedule) {
  Kinds out;
  for (const Finding &finding : verifySchedule(schedule))
    out.push_back(finding.kind);
  return out;
}

Command work(std::vector<ByteRange> reads, std::vector<ByteRange> writes,
             std::vector<int64_t> trips = {}) {
  Command command;
  command.reads = std::move(reads);
  command.writes = std::move(writes);
  command.repeats.assign(trips.size(), 0);
  command.trips = std::move(trips);
  return command;
}

/// One queue over scratch buffers of one arena, at the given offsets.
Schedule makeSchedule(std::vector<uint64_t> offsets,
                      std::vector<Command> commands) {
  Schedule schedule;
  for (uint64_t offset : offsets) {
    BufferPlace place{0, offset};
    place.isGiven = false;
    schedule.buffers.push_back(place);
  }
  schedule.queues.push_back(std::move(commands));
  schedule.tripCounts = {4, 4};
  return schedule;
}

/// What has happened to a byte of a buffer.
struct Byte {
  uint32_t version = 0;
  const Command *writer = nullptr;
  /// The reads since then, with the versions that they name.
  std::vector<std::pair<uint32_t, const Command *>> reads;
};

/// The trips of `command` in the repeats that are also around `other`.
std::vector<int64_t> commonTrips(const Command &command, const Command &other) {
  std::vector<int64_t> trips;
  for (size_t i = 0;
       i < std::min(command.repeats.size(), other.repeats.size()) &&
       command.repeats[i] == other.repeats[i];
       ++i)
    trips.push_back(command.trips[i]);
  return trips;
}

/// Whether an earlier trip of a repeat around both has written the byte.
bool isOlder(const Byte &byte, const Command &command) {
  return commonTrips(*byte.writer, command) <
         commonTrips(command, *byte.writer);
}

/// The commands with a defect, found one byte at a time.
std::set<std::pair<FindingKind, uint32_t>> simulate(const Schedule &schedule) {
  std::map<std::pair<uint32_t, uint64_t>, Byte> bytes;
  // The buffer that each byte of the arena holds.
  std::map<uint64_t, uint32_t> holders;
  std::set<std::pair<FindingKind, uint32_t>> found;
  for (uint32_t i = 0; i < schedule.queues[0].size(); ++i) {
    const Command &command = schedule.queues[0][i];
    for (const ByteRange &read : command.reads)
      for (uint64_t at = read.begin; at < read.end; ++at) {
        const auto holder =
            holders.find(schedule.buffers[read.buffer].offset + at);
        Byte &byte = bytes[{read.buffer, at}];
        if (holder == holders.end())
          found.insert({FindingKind::NeverWritten, i});
        else if (holder->second != read.buffer)
          found.insert({FindingKind::Clobbered, i});
        else if (byte.version > read.version && !isOlder(byte, command))
          found.insert({FindingKind::Outdated, i});
        else
          byte.reads.push_back({read.version, &command});
      }
    for (const ByteRange &write : command.writes)
      for (uint64_t at = write.begin; at < write.end; ++at) {
        Byte &byte = bytes[{write.buffer, at}];
        const auto isEarlyRead = [&](const auto &read) {
          return read.first >= write.version &&
                 commonTrips(*read.second, command) ==
                     commonTrips(command, *read.second);
        };
        if (byte.version > write.version && !isOlder(byte, command))
          found.insert({FindingKind::Outdated, i});
        else if (std::ranges::any_of(byte.reads, isEarlyRead))
          found.insert({FindingKind::ReadTooEarly, i});
        // Reads of later versions wait for the writers of these.
        const uint32_t before = byte.version;
        std::erase_if(byte.reads, [&](const auto &read) {
          return read.first <= before || read.first <= write.version ||
                 isEarlyRead(read);
        });
        holders[schedule.buffers[write.buffer].offset + at] = write.buffer;
        byte.version = write.version;
        byte.writer = &command;
      }
  }
  return found;
}
} // namespace

// The sweep finds what the simulation finds, and nothing else.
TEST(DataFlowTest, agreesWithASimulation) {
  std::mt19937 random(31);
  int numClean = 0;
  std::map<FindingKind, int> numFound;
  for (int round = 0; round < 4000; ++round) {
    auto range = [&](uint32_t i) {
      const uint64_t begin = random() % 6;
      return ByteRange{static_cast<uint32_t>(random() % 3), begin,
                       begin + 1 + random() % 6,
                       static_cast<uint32_t>(i + random() % 3) / 3};
    };
    std::vector<Command> commands;
    for (uint32_t i = 0, end = 2 + random() % 8; i < end; ++i)
      commands.push_back(random() % 2 ? work({range(i)}, {})
                                      : work({}, {range(i)}));
    Schedule schedule = makeSchedule({0, 9, 15}, std::move(commands));
    std::set<std::pair<FindingKind, uint32_t>> found;
    for (const Finding &finding : verifySchedule(schedule)) {
      found.insert({finding.kind, finding.second.index});
      ++numFound[finding.kind];
    }
    EXPECT_EQ(found, simulate(schedule)) << "round " << round;
    numClean += found.empty();
  }
  EXPECT_GT(numClean, 100);
  for (FindingKind kind : {FindingKind::NeverWritten, FindingKind::Clobbered,
                           FindingKind::Outdated, FindingKind::ReadTooEarly})
    EXPECT_GT(numFound[kind], 20);
}

// Where commands are in repeats, the sweep refuses what the simulation refuses,
// and names the same first command. Behind it both may differ: a read that was
// reported no longer stands for earlier ones.
TEST(DataFlowTest, agreesWithASimulationOfRepeats) {
  std::mt19937 random(32);
  int numClean = 0, numTooEarly = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Command> body;
    for (uint32_t i = 0, end = 2 + random() % 4; i < end; ++i) {
      const uint64_t begin = random() % 3;
      const ByteRange range{0, begin, begin + 1 + random() % 2,
                            static_cast<uint32_t>(random() % 3)};
      body.push_back(random() % 2 ? work({range}, {}) : work({}, {range}));
      // Repeat 0 is around all commands, others are around some of them.
      const bool isFirst =
          body.size() == 1 || body.end()[-2].repeats.size() == 1;
      body.back().repeats = {0};
      if (random() % 2)
        body.back().repeats.push_back(isFirst ? i + 1
                                              : body.end()[-2].repeats[1]);
    }
    const bool isShifted = random() % 2;
    std::vector<Command> commands{work({}, {{0, 0, 8}})};
    for (int64_t outer : {0, 1})
      for (size_t i = 0; i < body.size();) {
        const size_t begin = i;
        while (i < body.size() && body[i].repeats == body[begin].repeats)
          ++i;
        const bool isInner = body[begin].repeats.size() == 2;
        for (int64_t inner = 0; inner < (isInner ? 2 : 1); ++inner)
          for (size_t k = begin; k < i; ++k) {
            Command &command = commands.emplace_back(body[k]);
            command.trips = {outer};
            if (isInner)
              command.trips.push_back(inner);
            const uint64_t shift = isShifted ? inner + outer : 0;
            for (auto *ranges : {&command.reads, &command.writes})
              for (ByteRange &range : *ranges)
                range.begin += shift, range.end += shift;
          }
      }
    Schedule schedule = makeSchedule({0}, std::move(commands));
    schedule.tripCounts.resize(8, 2);
    std::set<uint32_t> found, expected;
    for (const Finding &finding : verifySchedule(schedule)) {
      if (finding.kind != FindingKind::MixedTrips)
        found.insert(finding.second.index);
      numTooEarly += finding.kind == FindingKind::ReadTooEarly;
    }
    for (const auto &[kind, command] : simulate(schedule))
      expected.insert(command);
    ASSERT_EQ(found.empty(), expected.empty()) << "round " << round;
    if (found.empty())
      ++numClean;
    else
      EXPECT_EQ(*found.begin(), *expected.begin()) << "round " << round;
  }
  EXPECT_GT(numClean, 1000);
  EXPECT_GT(numTooEarly, 1000);
}

// What a buffer holds is known also if another one has had its bytes in
// between.
TEST(DataFlowTest, othersInBetween) {
  const ByteRange old{0, 0, 8}, next{0, 0, 8, 1}, other{1, 0, 8};
  const auto kinds = [](std::vector<Command> commands) {
    return kindsOf(makeSchedule({0, 0}, std::move(commands)));
  };
  // The read names contents that come later.
  EXPECT_EQ(kinds({work({}, {old}), work({next}, {}), work({}, {other}),
                   work({}, {next})}),
            Kinds{FindingKind::ReadTooEarly});
  // The first contents are written behind the second ones.
  EXPECT_EQ(kinds({work({}, {next}), work({}, {other}), work({}, {old}),
                   work({next}, {})}),
            Kinds{FindingKind::Outdated});
  EXPECT_EQ(kinds({work({}, {old}), work({old}, {}), work({}, {other}),
                   work({other}, {}), work({}, {next}), work({next}, {})}),
            Kinds{});
}

// A buffer that grows part by part and is read as a whole in each trip takes
// time that grows with the square of the trips, so it is refused.
TEST(DataFlowTest, tooManyParts) {
  std::vector<Command> commands{work({}, {{0, 0, 60000}})};
  for (int64_t trip = 0; trip < 15000; ++trip) {
    const auto begin = static_cast<uint64_t>(4 * trip);
    commands.push_back(work({}, {{0, begin, begin + 4}}, {trip}));
    commands.push_back(work({{0, 0, 60000}}, {}));
  }
  EXPECT_EQ(kindsOf(makeSchedule({0}, std::move(commands))),
            Kinds{FindingKind::TooManyParts});
}

// Given buffers may be read at once; outputs must be written in whole.
TEST(DataFlowTest, givenAndOutputBuffers) {
  Schedule schedule;
  schedule.buffers.resize(2);
  schedule.buffers[1].isGiven = false;
  schedule.buffers[1].outputBytes = 16;
  schedule.queues = {{work({{0, 0, 8}}, {{1, 0, 8}})}};
  const std::vector<Finding> findings = verifySchedule(schedule);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::NotWritten);
  EXPECT_EQ(findings[0].begin, 8u);
  EXPECT_EQ(findings[0].end, 16u);
  schedule.queues[0].push_back(work({}, {{1, 8, 16}}));
  EXPECT_EQ(kindsOf(schedule), Kinds{});
  schedule.queues[0].clear();
  EXPECT_EQ(kindsOf(schedule), Kinds{FindingKind::NotWritten});
}

// A command may replace what it reads if it says so, at the same place.
TEST(DataFlowTest, overlapsWithinACommand) {
  Schedule schedule;
  schedule.buffers.resize(1);
  auto kinds = [&](ByteRange read, std::vector<ByteRange> writes,
                   std::vector<int32_t> overwrites) {
    Command command = work({read}, std::move(writes));
    command.overwrites = std::move(overwrites);
    schedule.queues = {{command}};
    return kindsOf(schedule);
  };
  const ByteRange old{0, 0, 8}, same{0, 0, 8, 1}, behind{0, 8, 16, 1},
      shifted{0, 4, 12, 1};
  EXPECT_EQ(kinds(old, {same}, {}), Kinds{FindingKind::Overlap});
  EXPECT_EQ(kinds(old, {same}, {0}), Kinds{});
  EXPECT_EQ(kinds(old, {shifted}, {0}), Kinds{FindingKind::Overlap});
  EXPECT_EQ(kinds(shifted, {old}, {0}), Kinds{FindingKind::Overlap});
  EXPECT_EQ(kinds(old, {behind, same}, {-1, 0}), Kinds{});
  EXPECT_EQ(kinds(old, {same, behind}, {-1, 0}), Kinds{FindingKind::Overlap});
  EXPECT_EQ(kinds({0, 16, 24}, {same, shifted}, {}),
            Kinds{FindingKind::Overlap});
}

// Trips may write again what earlier ones have written and read, but a read in
// a trip sees the bytes of one trip.
TEST(DataFlowTest, tripsWriteAgain) {
  std::vector<Command> commands;
  for (int64_t trip = 0; trip < 3; ++trip) {
    commands.push_back(work({}, {{0, 0, 8}}, {trip}));
    commands.push_back(work({{0, 0, 8}}, {{0, 0, 8, 1}}, {trip}));
    commands.back().overwrites = {0};
  }
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.push_back(work({{0, 0, 8, 1}}, {}));
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.back().reads[0].version = 0;
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{FindingKind::Outdated});

  commands = {work({}, {{0, 0, 8}}, {0}), work({}, {{0, 8, 16}}, {1}),
              work({{0, 4, 12}}, {}, {1})};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::MixedTrips});
  commands.back().trips.clear();
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});

  // What is written outside of the repeat, or in another one, is of no trip.
  commands = {work({}, {{0, 0, 8}}), work({}, {{0, 8, 12}}, {0}),
              work({}, {{0, 12, 16}}, {1}), work({{0, 0, 12}}, {}, {1})};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.back() = work({{0, 0, 16}}, {}, {1});
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::MixedTrips});
  commands.back().repeats = {1};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});

  // Contents of another repeat are not those of an earlier trip.
  commands = {work({}, {{0, 0, 8, 1}}, {0}), work({{0, 0, 8}}, {}, {1})};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.back().repeats = {1};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{FindingKind::Outdated});
}

// A read of a version whose writer comes later, in no earlier trip, is an
// error.
TEST(DataFlowTest, readsBeforeTheWriter) {
  // A later repeat writes what has already been read.
  std::vector<Command> commands = {work({}, {{0, 0, 8}}),
                                   work({{0, 0, 8, 1}}, {}, {1}),
                                   work({}, {{0, 0, 8, 1}}, {0})};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.back().repeats = {1};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});
  // So does an inner repeat of the same trip.
  commands.back() = work({}, {{0, 0, 8, 1}}, {1, 0});
  commands.back().repeats = {0, 1};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});

  // It also does if another trip writes an older version in between.
  commands = {work({}, {{0, 0, 48}})};
  for (int64_t trip : {0, 1}) {
    const uint64_t begin = 16 * static_cast<uint64_t>(trip);
    commands.push_back(work({{0, begin + 16, begin + 32, 2}}, {}, {trip}));
    commands.push_back(work({}, {{0, begin, begin + 16, 1}}, {trip}));
  }
  commands.push_back(work({}, {{0, 0, 32, 2}}));
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});

  // Reading first is a mistake if it is the same trip.
  commands = {work({}, {{0, 0, 8}}), work({{0, 0, 8}}, {}, {0}),
              work({}, {{0, 0, 8}}, {0})};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});
}

// A read in an inner repeat does not stand for an earlier one outside of it.
TEST(DataFlowTest, readsAroundAnInnerRepeat) {
  std::vector<Command> commands = {work({}, {{0, 0, 32, 1}})};
  for (int64_t outer : {0, 1}) {
    commands.push_back(work({{0, 16, 32, 1}}, {}, {outer}));
    for (int64_t inner : {0, 1}) {
      const uint64_t slot = 16 * static_cast<uint64_t>(inner);
      commands.push_back(
          work({{0, 16 - slot, 32 - slot, 1}}, {}, {outer, inner}));
      commands.push_back(work({}, {{0, slot, slot + 16, 1}}, {outer, inner}));
    }
  }
  for (Command &command : commands)
    if (command.repeats.size() == 2)
      command.repeats = {0, 1};
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds(2, FindingKind::ReadTooEarly));
  // Without the reads around the inner repeat nothing is wrong.
  std::erase_if(commands, [](const Command &command) {
    return command.repeats.size() == 1;
  });
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
}

// A read of an older version does not stand for one of a newer version, nor the
// other way round.
TEST(DataFlowTest, readsOfSeveralVersions) {
  // Trip 1 reads version 2 of trip 0, then version 1, which it writes next.
  std::vector<Command> commands = {
      work({}, {{0, 0, 8, 1}}, {0}), work({}, {{0, 0, 8, 2}}, {0}),
      work({{0, 0, 8, 2}}, {}, {0}), work({{0, 0, 8, 1}}, {}, {1}),
      work({}, {{0, 0, 8, 1}}, {1}),
  };
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});

  // Many versions that nothing writes take no time that grows with the square.
  commands = {work({}, {{0, 0, 8}})};
  for (uint32_t version = 200000; version > 0; --version)
    commands.push_back(work({{0, 0, 8, version}}, {}));
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)), Kinds{});
  commands.push_back(work({}, {{0, 0, 8, 100000}}));
  EXPECT_EQ(kindsOf(makeSchedule({0}, commands)),
            Kinds{FindingKind::ReadTooEarly});
}

namespace {
Command signal(CommandKind kind, uint32_t event, int64_t value,
               std::vector<int64_t> trips = {}, uint32_t repeat = 0) {
  Command command;
  command.kind = kind;
  command.event = event;
  command.value = value;
  command.repeats.assign(trips.size(), repeat);
  command.trips = std::move(trips);
  return command;
}

/// Two queues over one buffer, whose version 0 is given. The first
/// one writes a slot of version 1 in each of three trips, and waits for event 1
/// to reach the trip's number in front of that.
struct GrowingCache {
  GrowingCache() {
    schedule.buffers.resize(1);
    schedule.queues.resize(2);
    schedule.numEvents = 2;
    schedule.tripCounts = {3, 3};
    for (int64_t trip = 0; trip < 3; ++trip) {
      const uint64_t begin = 16 * static_cast<uint64_t>(trip);
      schedule.queues[0].push_back(signal(CommandKind::Wait, 1, trip, {trip}));
      schedule.queues[0].push_back(
          work({}, {{0, begin, begin + 16, 1}}, {trip}));
      schedule.queues[0].push_back(
          signal(CommandKind::Record, 0, trip + 1, {trip}));
    }
  }

  /// The second queue reads as `version` when the first one has made `trips`
  /// trips: all slots, or, in trip `trip` of its repeat, that of the trip and
  /// the next one.
  void addReader(uint32_t version, int64_t trips,
                 std::vector<int64_t> trip = {}) {
    std::vector<Command> &queue = schedule.queues[1];
    queue.push_back(signal(CommandKind::Wait, 0, trips, trip, 1));
    const uint64_t begin = trip.empty() ? 0 : 16 * uint64_t(trip[0]);
    const uint64_t end = trip.empty() ? 48 : begin + 32;
    queue.push_back(work({{0, begin, end, version}}, {}, trip));
    queue.back().repeats.assign(trip.size(), 1);
    queue.push_back(signal(CommandKind::Record, 1, ++numReads, trip, 1));
  }

  Schedule schedule;
  int64_t numReads = 0;
};
} // namespace

// A reader in a repeat that belongs to that of the writer sees what the trips
// up to its own have written; those behind it have not run yet.
TEST(DataFlowTest, earlierTripsReadWhatLaterOnesWrite) {
  GrowingCache cache;
  for (int64_t trip = 0; trip < 3; ++trip)
    cache.addReader(1, trip + 1, {trip});
  EXPECT_EQ(kindsOf(cache.schedule), Kinds{});

  // In its own trip the reader comes before the writer, so it reads the old
  // contents: it may say so, but may not claim to read the new ones.
  for (uint32_t version : {0, 1}) {
    GrowingCache behind;
    for (Command &command : behind.schedule.queues[0])
      command.value += command.kind == CommandKind::Wait;
    for (int64_t trip = 0; trip < 3; ++trip)
      behind.addReader(version, trip, {trip});
    const Kinds kinds = kindsOf(behind.schedule);
    if (version == 0)
      EXPECT_EQ(kinds, Kinds{});
    else
      EXPECT_EQ(kinds, Kinds(3, FindingKind::ReadTooEarly));
  }

  // A repeat of other trips is another one.
  GrowingCache other;
  other.schedule.tripCounts[1] = 4;
  for (int64_t trip = 0; trip < 3; ++trip)
    other.addReader(1, trip + 1, {trip});
  EXPECT_EQ(kindsOf(other.schedule), Kinds(2, FindingKind::ReadTooEarly));
}

// Outside of the repeat the new contents are complete when all trips have run.
TEST(DataFlowTest, readersBeforeARepeatOfAnotherQueue) {
  GrowingCache before;
  for (Command &command : before.schedule.queues[0])
    if (command.kind == CommandKind::Wait)
      command.value = 1;
  before.addReader(1, 0);
  EXPECT_EQ(kindsOf(before.schedule), Kinds(3, FindingKind::ReadTooEarly));
  before.schedule.queues[1][1].reads[0].version = 0;
  EXPECT_EQ(kindsOf(before.schedule), Kinds{});

  // A later reader that is right does not hide it.
  before.schedule.queues[1][1].reads[0].version = 1;
  for (Command &command : before.schedule.queues[0])
    if (command.kind == CommandKind::Wait)
      command.value = command.trips[0] + 1;
  for (int64_t trip = 0; trip < 3; ++trip)
    before.addReader(1, trip + 1, {trip});
  EXPECT_EQ(kindsOf(before.schedule), Kinds(3, FindingKind::ReadTooEarly));

  GrowingCache behind;
  for (Command &command : behind.schedule.queues[0])
    if (command.kind == CommandKind::Wait)
      command.value = 0;
  behind.addReader(1, 3);
  EXPECT_EQ(kindsOf(behind.schedule), Kinds{});

  // The trips of the reader may be written out.
  GrowingCache unrolled;
  for (std::vector<Command> &queue : unrolled.schedule.queues)
    for (Command &command : queue)
      for (ByteRange &range : command.writes)
        range = {0, 0, 48, 1};
  for (int64_t trip = 0; trip < 3; ++trip)
    unrolled.addReader(1, trip + 1);
  EXPECT_EQ(kindsOf(unrolled.schedule), Kinds{});
}
