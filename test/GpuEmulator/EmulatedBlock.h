//===- EmulatedBlock.h - Runs a block of threads on the CPU -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_GPUEMULATOR_EMULATEDBLOCK_H
#define WEIR_TEST_GPUEMULATOR_EMULATEDBLOCK_H

#include "Target/NVPTX/GpuEmulation.h"

#include "weir/Artifact/KernelABI.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <ucontext.h>
#include <vector>

namespace weir::emulator {

/// In which order the threads of a block run to where they wait. Where one
/// thread reads what another writes without a barrier between them, the results
/// differ.
enum class ThreadOrder { Ascending, Descending };

/// Runs the threads of one block after the other, each on a stack of its own.
/// A thread that waits for others gives way to the next one. Code in which the
/// threads wait for different things, or at different places, is an error, as
/// on a GPU.
class EmulatedBlock {
public:
  EmulatedBlock(size_t threads, size_t sharedBytes);

  /// Runs block number `block` of `function` on `buffers`.
  Status run(WeirKernelFunction function, void *const *buffers, uint64_t block,
             ThreadOrder order);

private:
  enum class State { Ready, AtBarrier, AtShuffle, Ended };
  struct Thread {
    /// First, so that its address is that of the thread.
    EmulatedThread self;
    EmulatedBlock *owner;
    State state;
    /// Where in the code it waits.
    const void *place;
    uint64_t value, mask;
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack;
  };

  static void enter(unsigned high, unsigned low);
  static void barrier(EmulatedThread *thread);
  static uint64_t shuffle(EmulatedThread *thread, uint64_t value,
                          uint64_t mask);

  void start(Thread &thread, uint64_t block);
  void giveWay(Thread &thread, State state, const void *place);
  void runReady(ThreadOrder order);
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
