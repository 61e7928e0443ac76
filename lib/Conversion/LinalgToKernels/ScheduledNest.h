//===- ScheduledNest.h - Iterations that are computed together --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_SCHEDULEDNEST_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_SCHEDULEDNEST_H

#include "LoopNest.h"

namespace weir::kernels {

/// Neighbouring iterations of a loop that are the lanes of a vector.
struct Lanes {
  int loop;
  int64_t count;
};

/// Iterations of a loop around the vectors that are computed together. If the
/// loop is cut later, at most `count` iterations are computed together.
struct Rows {
  /// How the rows lie in memory.
  enum class Order {
    Apart,
    /// Neighbouring rows are adjacent in an operand. They are loaded as vectors
    /// and transposed.
    Transposed,
    /// Neighbouring rows are adjacent in the result. The lanes of their vectors
    /// are stored alternately.
    Interleaved
  };

  int loop;
  int64_t count;
  Order order = Order::Apart;
};

/// Threads of a GPU that compute one result of a long reduction together.
struct ThreadGroup {
  enum class Kind {
    /// The threads of a warp.
    Warp,
    /// The threads of a block.
    Block,
    /// One thread of each warp of a block. The threads of a warp have
    /// neighbouring results.
    Columns
  };

  Kind kind;
  /// The loop of which each thread combines `strip` neighbouring iterations at
  /// a time.
  int loop;
  int64_t strip = 1;
};

/// The iterations of a nest that are computed together. By default, they are
/// computed one by one.
struct Schedule {
  std::optional<Lanes> lanes;
  /// The rows, on CPUs only.
  std::optional<Rows> rows;
  /// The threads of one result, on GPUs only. Without a group, each thread
  /// computes results of its own.
  std::optional<ThreadGroup> group;

  bool isOf(ThreadGroup::Kind kind) const {
    return group && group->kind == kind;
  }
};

/// A nest, and how its iterations are computed.
struct ScheduledNest : LoopNest {
  Schedule schedule = {};

  /// The loop of the lanes, or null.
  const NestLoop *findLaneLoop() const {
    return schedule.lanes ? findLoop(schedule.lanes->loop) : nullptr;
  }
  bool isReductionLane() const {
    const NestLoop *loop = findLaneLoop();
    return loop && loop->isReduction;
  }
  bool isLane(int symbol) const {
    return schedule.lanes && schedule.lanes->loop == symbol;
  }
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_SCHEDULEDNEST_H
