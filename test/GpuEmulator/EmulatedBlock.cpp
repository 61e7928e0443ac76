//===- EmulatedBlock.cpp - Runs a block of threads on the CPU ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EmulatedBlock.h"

#include <algorithm>

using namespace weir;
using namespace weir::emulator;

static constexpr size_t stackBytes = 64 << 10, warpThreads = 32;
/// Shared memory is undefined before, and nothing is written behind it.
static constexpr std::byte poison{0xa5};
static constexpr size_t guardBytes = 256;

EmulatedBlock::EmulatedBlock(size_t count, size_t sharedBytes)
    : threads(count), shared(sharedBytes + guardBytes),
      sharedBytes(sharedBytes) {
  for (Thread &thread : threads)
    thread.stack = std::make_unique_for_overwrite<std::byte[]>(stackBytes);
}

/// The entry of a new context, which takes only numbers of type int.
void EmulatedBlock::enter(unsigned high, unsigned low) {
  auto &thread = *reinterpret_cast<Thread *>(
      static_cast<uintptr_t>(high) << 32 | static_cast<uintptr_t>(low));
  EmulatedBlock &block = *thread.owner;
  const WeirKernelArgs args{block.buffers, nullptr, 0, 0, &thread.self};
  block.function(&args);
  block.giveWay(thread, State::Ended, nullptr);
}

void EmulatedBlock::giveWay(Thread &thread, State state, const void *place) {
  thread.state = state;
  thread.place = place;
  swapcontext(&thread.context, &scheduler);
}

void EmulatedBlock::barrier(EmulatedThread *self) {
  auto &thread = *reinterpret_cast<Thread *>(self);
  thread.owner->giveWay(thread, State::AtBarrier, __builtin_return_address(0));
}

uint64_t EmulatedBlock::shuffle(EmulatedThread *self, uint64_t value,
                                uint64_t mask) {
  auto &thread = *reinterpret_cast<Thread *>(self);
  thread.value = value;
  thread.mask = mask;
  thread.owner->giveWay(thread, State::AtShuffle, __builtin_return_address(0));
  return thread.value;
}

void EmulatedBlock::start(Thread &thread, uint64_t block) {
  const auto number = static_cast<uint64_t>(&thread - threads.data());
  thread.self = {number, block, shared.data(), barrier, shuffle};
  thread.owner = this;
  thread.state = State::Ready;
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.get();
  thread.context.uc_stack.ss_size = stackBytes;
  thread.context.uc_link = nullptr;
  const auto address = reinterpret_cast<uintptr_t>(&thread);
  makecontext(&thread.context, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
}

/// Lets all threads go on if all wait at the same barrier.
bool EmulatedBlock::releaseBarrier() {
  if (!std::ranges::all_of(threads, [&](const Thread &thread) {
        return thread.state == State::AtBarrier &&
               thread.place == threads.front().place;
      }))
    return false;
  for (Thread &thread : threads)
    thread.state = State::Ready;
  return true;
}

/// Exchanges values in the warps of which all threads wait for the same
/// exchange.
bool EmulatedBlock::releaseShuffles() {
  bool isReleased = false;
  for (size_t first = 0; first < threads.size(); first += warpThreads) {
    const auto warp = std::span(threads).subspan(first, warpThreads);
    if (!std::ranges::all_of(warp, [&](const Thread &thread) {
          return thread.state == State::AtShuffle &&
                 thread.place == warp.front().place;
        }))
      continue;
    uint64_t values[warpThreads];
    for (size_t lane = 0; lane < warpThreads; ++lane)
      values[lane] = warp[lane].value;
    for (size_t lane = 0; lane < warpThreads; ++lane) {
      warp[lane].value = values[(lane ^ warp[lane].mask) % warpThreads];
      warp[lane].state = State::Ready;
    }
    isReleased = true;
  }
  return isReleased;
}

/// Lets each thread that can go on run to where it waits.
void EmulatedBlock::runReady(ThreadOrder order) {
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = order == ThreadOrder::Ascending
                         ? threads[i]
                         : threads[threads.size() - 1 - i];
    if (thread.state == State::Ready)
      swapcontext(&scheduler, &thread.context);
  }
}

Status EmulatedBlock::run(WeirKernelFunction kernel, void *const *given,
                          uint64_t block, ThreadOrder order) {
  function = kernel;
  buffers = given;
  std::ranges::fill(shared, poison);
  for (Thread &thread : threads)
    start(thread, block);
  do
    runReady(order);
  while (releaseShuffles() || releaseBarrier());
  if (!std::ranges::all_of(threads, [](const Thread &thread) {
        return thread.state == State::Ended;
      }))
    return internalError("threads of a block wait for different things");
  const auto guard = std::span(shared).subspan(sharedBytes);
  if (!std::ranges::all_of(guard, [](std::byte b) { return b == poison; }))
    return internalError("a thread has written behind its shared memory");
  return Status::ok();
}
