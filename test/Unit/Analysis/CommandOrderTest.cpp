//===- CommandOrderTest.cpp - Tests of the order of commands --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CommandOrder.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace weir;
using namespace weir::analysis;

namespace {

using Commands = std::vector<OrderedCommand>;
using Order = std::vector<uint32_t>;

OrderedCommand work(uint32_t queue, Order after, uint64_t nanoseconds = 1) {
  return {queue, std::move(after), nanoseconds};
}

OrderedCommand crossing(uint32_t queue, Order after, uint64_t nanoseconds = 1) {
  return {queue, std::move(after), nanoseconds, true};
}

OrderedCommand early(Order after) {
  OrderedCommand command = work(0, std::move(after));
  command.comesEarly = true;
  return command;
}

Order take(const StatusOr<Order> &order) {
  EXPECT_TRUE(order.isOk());
  return order.isOk() ? *order : Order();
}

/// The order of the commands of one queue.
Order ofQueue(const Commands &commands, const Order &order, uint32_t queue) {
  Order own;
  for (uint32_t command : order)
    if (commands[command].queue == queue)
      own.push_back(command);
  return own;
}

bool isOrder(const Commands &commands, const Order &order) {
  std::vector<bool> isDone(commands.size());
  for (uint32_t command : order) {
    for (uint32_t before : commands[command].after)
      if (!isDone[before])
        return false;
    isDone[command] = true;
  }
  return order.size() == commands.size() &&
         std::find(isDone.begin(), isDone.end(), false) == isDone.end();
}

//===----------------------------------------------------------------------===//
// Order of the text
//===----------------------------------------------------------------------===//

/// An order that can be kept is kept, whatever else would be possible.
TEST(TextOrderTest, KeepsPossibleOrders) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    Commands commands;
    for (uint32_t i = 0; i < 12; ++i) {
      Order after;
      for (uint32_t before = 0; before < i; ++before)
        if (random() % 4 == 0)
          after.push_back(before);
      commands.push_back(work(random() % 3, after, random() % 9));
    }
    Order order = take(orderByText(commands));
    ASSERT_TRUE(isOrder(commands, order));
    for (uint32_t queue = 0; queue < 3; ++queue) {
      Order own = ofQueue(commands, order, queue);
      EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    }
  }
}

/// 0 overwrites what 2 reads. 2 needs 1. So 0 moves behind 2.
TEST(TextOrderTest, MovesBackWhatIsTooEarly) {
  EXPECT_EQ(take(orderByText(Commands{work(0, {2}), work(0, {}), work(0, {1}),
                                      work(0, {})})),
            Order({1, 2, 0, 3}));
}

/// 2 only reads, and could come at once. It moves in front of 0 unless its
/// result is larger than what 0 reads.
TEST(TextOrderTest, MovesReadersForward) {
  Commands commands = {work(0, {3}), work(0, {}), work(0, {}), work(0, {})};
  commands[0].bytesRead = commands[3].bytesWritten = 64;
  EXPECT_EQ(take(orderByText(commands)), Order({3, 0, 1, 2}));
  commands[3].bytesWritten = 65;
  EXPECT_EQ(take(orderByText(commands)), Order({1, 2, 3, 0}));
}

/// Queue 0 waits for queue 1, whose order cannot be kept. Only that one
/// changes.
TEST(TextOrderTest, ChangesTheRightQueue) {
  Commands commands = {work(0, {2}), work(0, {}), work(1, {3}), work(1, {4}),
                       work(1, {})};
  EXPECT_EQ(ofQueue(commands, take(orderByText(commands)), 0), Order({0, 1}));
  EXPECT_EQ(ofQueue(commands, take(orderByText(commands)), 1),
            Order({4, 3, 2}));
}

TEST(TextOrderTest, RefusesCycles) {
  auto order = orderByText(Commands{work(0, {1}), work(0, {0}), work(0, {})});
  ASSERT_FALSE(order.isOk());
  EXPECT_NE(order.status().message().find("command 0 and others wait for each "
                                          "other in a cycle"),
            std::string::npos);
}

/// 3 comes as soon as it can: behind 0, or behind 1 if that reads what it
/// updates.
TEST(TextOrderTest, TakesEarlyCommands) {
  auto order = [](Order after) {
    return take(orderByText(Commands{work(0, {}), work(0, {0}), work(0, {1}),
                                     early(std::move(after)), work(0, {2})}));
  };
  EXPECT_EQ(order({0}), Order({0, 3, 1, 2, 4}));
  EXPECT_EQ(order({0, 1}), Order({0, 1, 3, 2, 4}));
}

/// 0 is early and waits for 1 and 2, which it needs in front of it.
TEST(TextOrderTest, TakesAnEarlyHead) {
  EXPECT_EQ(take(orderByText(Commands{early({1, 2}), work(0, {}), work(0, {}),
                                      work(0, {})})),
            Order({1, 2, 0, 3}));
}

/// One early command lets others run; one that can run from the start keeps its
/// place.
TEST(TextOrderTest, TakesChainsOfEarlyCommands) {
  EXPECT_EQ(take(orderByText(Commands{work(0, {}), work(0, {}), early({0}),
                                      early({2}), early({})})),
            Order({0, 2, 3, 1, 4}));
}

/// One update waits for all of many readers, at the head of its queue.
TEST(TextOrderTest, ManyReaders) {
  constexpr uint32_t size = 200'000;
  Order readers(size);
  std::iota(readers.begin(), readers.end(), 1);
  Commands commands = {work(0, readers)};
  for (uint32_t i = 1; i <= size; ++i)
    commands.push_back(work(0, i == 1 ? Order() : Order({i - 1})));
  EXPECT_EQ(take(orderByText(commands)).back(), 0u);
}

/// 1 and 2 wait for 3 and 4 at a point. Only commands are in the result.
TEST(TextOrderTest, Points) {
  constexpr uint32_t point = Task::noQueue;
  EXPECT_EQ(take(orderByText(Commands{work(0, {}), work(0, {5}), work(0, {5}),
                                      work(0, {0}), work(0, {}),
                                      work(point, {3, 4})})),
            Order({0, 3, 4, 1, 2}));
}

//===----------------------------------------------------------------------===//
// Crossings first
//===----------------------------------------------------------------------===//

/// 2 leads to another device, 0 and 1 do not.
TEST(CrossingOrderTest, CrossingsComeFirst) {
  Commands commands = {work(0, {}), work(0, {0}), work(0, {}), crossing(1, {2}),
                       work(1, {3})};
  Order order = take(orderByCrossings(commands));
  EXPECT_EQ(ofQueue(commands, order, 0), Order({2, 0, 1}));
}

/// Both lead to a crossing; behind the second one is more work.
TEST(CrossingOrderTest, MostWorkBehindFirst) {
  Commands commands = {work(0, {}),      work(0, {}),     crossing(1, {0}),
                       crossing(1, {1}), work(1, {2}, 5), work(1, {3}, 50)};
  Order order = take(orderByCrossings(commands));
  EXPECT_EQ(ofQueue(commands, order, 0), Order({1, 0}));
  EXPECT_EQ(ofQueue(commands, order, 1), Order({3, 2, 4, 5}));
}

/// Times that are so long that their sum is above 2^64 ns do not count as less.
TEST(CrossingOrderTest, LongTimesBehindFirst) {
  constexpr uint64_t longest = 1'000'000'000'000'000'000;
  Commands commands = {work(0, {}), work(0, {}), crossing(1, {0}, longest),
                       crossing(1, {1}, longest)};
  // 36 more long commands are behind the second crossing.
  for (uint32_t before = 3; before < 39; ++before)
    commands.push_back(work(1, {before}, longest));
  Order order = take(orderByCrossings(commands));
  EXPECT_EQ(ofQueue(commands, order, 0), Order({1, 0}));
}

/// While a value goes to the other device and back, local work is done.
TEST(CrossingOrderTest, FillsWaits) {
  Commands commands = {work(0, {}, 10),  crossing(1, {0}), work(1, {1}, 10),
                       crossing(0, {2}), work(0, {3}, 10), crossing(1, {4}),
                       work(0, {}, 10)};
  Order order = take(orderByCrossings(commands));
  EXPECT_EQ(ofQueue(commands, order, 0), Order({0, 6, 3, 4}));
}

/// Without crossings, the order of the text is kept as far as possible.
TEST(CrossingOrderTest, KeepsTextWithoutCrossings) {
  Commands commands = {work(0, {2}, 3), work(0, {}, 9), work(0, {1}, 1),
                       work(0, {}, 5)};
  EXPECT_EQ(take(orderByCrossings(commands)), Order({1, 2, 0, 3}));
}

/// Early commands come first among what leads to no crossing.
TEST(CrossingOrderTest, TakesEarlyCommands) {
  EXPECT_EQ(take(orderByCrossings(Commands{work(0, {}), work(0, {0}),
                                           early({0}), crossing(0, {0})})),
            Order({0, 3, 2, 1}));
}

/// A point takes no time and passes times on: 2 waits until 1 is complete.
TEST(CrossingOrderTest, Points) {
  constexpr uint32_t point = Task::noQueue;
  Commands commands = {work(0, {}, 5), crossing(1, {0}, 5),
                       work(0, {5}),   work(0, {}, 3),
                       work(0, {}, 3), work(point, {0, 1})};
  Order order = take(orderByCrossings(commands));
  EXPECT_EQ(ofQueue(commands, order, 0), Order({0, 3, 4, 2}));
}

TEST(CrossingOrderTest, RefusesCycles) {
  EXPECT_FALSE(
      orderByCrossings(Commands{work(0, {1}), crossing(1, {0})}).isOk());
}

TEST(CrossingOrderTest, RandomGraphs) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    Commands commands;
    for (uint32_t i = 0; i < 20; ++i) {
      Order after;
      for (uint32_t before = 0; before < i; ++before)
        if (random() % 6 == 0)
          after.push_back(before);
      commands.push_back({static_cast<uint32_t>(random() % 4), after,
                          random() % 50, random() % 3 == 0});
    }
    ASSERT_TRUE(isOrder(commands, take(orderByCrossings(commands))));
  }
}

} // namespace

// A step of training on one of two devices: `numLayers` layers, whose gradients
// of weights are not urgent, but hold activations and gradients. What is left
// of them would stay to the end if only the crossing of the last gradient
// counted.
TEST(CrossingOrderTest, GradientsOfWeightsDoNotHoldMemory) {
  constexpr uint32_t numLayers = 20;
  constexpr uint64_t bytes = 100;
  Commands commands;
  OrderedMemory memory{{}, 1, {0, 0}};
  const auto buffer = [&] {
    memory.buffers.push_back({bytes, 0});
    return static_cast<uint32_t>(memory.buffers.size() - 1);
  };
  const auto add = [&](OrderedCommand command, Order buffers) {
    command.buffers = std::move(buffers);
    commands.push_back(std::move(command));
    return static_cast<uint32_t>(commands.size() - 1);
  };
  Order activations = {buffer()}, forward = {add(work(0, {}), {0})};
  for (uint32_t layer = 0; layer < numLayers; ++layer) {
    const uint32_t result = buffer();
    forward.push_back(
        add(work(0, {forward.back()}), {activations.back(), result}));
    activations.push_back(result);
  }
  uint32_t gradient = activations.back(), before = forward.back();
  for (uint32_t layer = numLayers; layer-- > 0;) {
    add(work(0, {before}), {activations[layer], gradient});
    const uint32_t next = buffer();
    before = add(work(0, {before}), {gradient, next});
    gradient = next;
  }
  add(crossing(1, {before}, 50), {gradient});

  TaskMemory needed;
  needed.buffers = memory.buffers;
  needed.pools.resize(1);
  for (const OrderedCommand &command : commands)
    needed.accesses.push_back(command.buffers);
  const auto peakOf = [&](const Order &order) {
    return needed.peaksOf(order)[0];
  };
  const uint64_t text = peakOf(*orderByText(commands));
  EXPECT_EQ(text, (numLayers + 1) * bytes);
  EXPECT_EQ(peakOf(*orderByCrossings(commands)), (2 * numLayers + 1) * bytes);
  const Order order = *orderByCrossings(commands, memory);
  EXPECT_EQ(order.size(), commands.size());
  EXPECT_LE(peakOf(order), text);
}
