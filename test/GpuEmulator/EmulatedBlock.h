//===- EmulatedBlock.h - Runs a block of threads on the CPU -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_GPUEMULATOR_EMULATEDBLOCK_H
#define WEIR_TEST_GPUEMULATOR_EMULATEDBLOCK_H

#include "weir/Artifact/GpuEmulation.h"
#include "weir/Artifact/KernelABI.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <ucontext.h>
#include <vector>

namespace weir::emulator {

/// Runs the threads of one block after the other, each on a stack of its own.
/// A thread that waits for others gives way to the next one. Code in which the
/// threads of a block wait for different things is an error, as on a GPU.
class EmulatedBlock {
public:
  EmulatedBlock(size_t threads, size_t sharedBytes);

  /// Runs block number `block` of `function` on `buffers`.
  Status run(WeirKernelFunction function, void *const *buffers, uint64_t block);

private:
  enum class State { Ready, AtBarrier, AtShuffle, Ended };
  struct Thread {
    /// First, so that its address is that of the thread.
    WeirGpuThread self;
    EmulatedBlock *owner;
    State state;
    uint64_t value, mask;
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack;
  };

  static void enter(unsigned high, unsigned low);
  static void barrier(WeirGpuThread *thread);
  static uint64_t shuffle(WeirGpuThread *thread, uint64_t value, uint64_t mask);

  void start(Thread &thread, uint64_t block);
  void giveWay(Thread &thread, State state);
  bool releaseBarrier();
  bool releaseShuffles();

  std::vector<Thread> threads;
  /// The memory of the block, with guard bytes behind it.
  std::vector<std::byte> shared;
  size_t sharedBytes;
  ucontext_t scheduler;
  WeirKernelFunction function = nullptr;
  void *const *buffers = nullptr;
};

} // namespace weir::emulator

#endif // WEIR_TEST_GPUEMULATOR_EMULATEDBLOCK_H
