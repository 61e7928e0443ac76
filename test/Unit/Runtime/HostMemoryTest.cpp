//===- HostMemoryTest.cpp - Tests of memory in this process ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Host/HostMemory.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace weir;

namespace {

constexpr size_t size = size_t(1) << 16;

/// The bytes in use, as an error says them.
uint64_t inUse() {
  const Status status = mapHostMemory(1, 0).status();
  const std::string message(status.message());
  return std::stoull(message.substr(message.find("with ") + 5));
}

// Where the limit is enough for one, two threads never get memory at the same
// time.
TEST(HostMemory, KeepsToTheLimit) {
  constexpr int numRounds = 500;
  const uint64_t before = inUse();
  std::atomic<int> numArrived{0}, numGranted{0};
  const auto meet = [&](int target) {
    ++numArrived;
    while (numArrived < target)
      std::this_thread::yield();
  };
  const auto takeInEachRound = [&] {
    for (int round = 0; round < numRounds; ++round) {
      meet(4 * round + 2);
      const auto memory = mapHostMemory(size, before + size);
      numGranted += memory.isOk();
      meet(4 * round + 4);
    }
  };
  std::thread other(takeInEachRound);
  takeInEachRound();
  other.join();
  EXPECT_EQ(numGranted, numRounds);
  EXPECT_EQ(inUse(), before);
}

} // namespace
