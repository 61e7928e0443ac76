//===- DataAllocationTest.cpp - Batches without allocations ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A separate program, because it replaces the global allocation functions.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "weir/Data/Sources.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

static std::atomic<uint64_t> numAllocations{0};

void *operator new(size_t bytes) {
  numAllocations.fetch_add(1, std::memory_order_relaxed);
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  std::abort();
}
/// Not inlined, because GCC warns of a free() where a new is beside it.
[[gnu::noinline]] static void release(void *memory) { std::free(memory); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }

using namespace weir;

// After the first epoch, batches allocate nothing, whatever the map: not in the
// program's thread and not in others.
TEST(DataAllocationTest, SteadyStateAllocatesNothing) {
  const Dataset data = take(openNpz(input("maps.npz"), {"images"}));
  const Dataset mapped = take(data.map(
      "images", {RandomCropStep{5, 6, 2}, RandomFlipStep{}, ScaleStep{255},
                 NormaliseStep{{0.5}, {0.25}}, ChannelsFirstStep{}}));
  for (int threads : {0, 2}) {
    LoaderOptions options;
    options.batchSize = 3;
    options.shuffle = true;
    options.epochs.reset();
    options.threads = threads;
    Loader loader = take(Loader::create(mapped, options));
    // Until as many batches as can be are there at the same time, at each
    // place in an epoch.
    for (int i = 0; i < 12; ++i) {
      const auto held = take(loader.next());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const uint64_t before = numAllocations;
    for (int i = 0; i < 300; ++i)
      take(loader.next());
    EXPECT_EQ(numAllocations - before, 0u) << threads << " threads";
  }
}
