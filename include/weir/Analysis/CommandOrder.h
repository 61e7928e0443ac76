//===- CommandOrder.h - The order of the commands of each queue -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_COMMANDORDER_H
#define WEIR_ANALYSIS_COMMANDORDER_H

#include "weir/Analysis/ListSchedule.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace weir::analysis {

/// A command whose position in its queue is to be chosen.
struct OrderedCommand {
  /// The queue; `Task::noQueue` for a point, which is no command.
  uint32_t queue = 0;
  /// The commands that must complete before this command starts. Each is listed
  /// once.
  std::vector<uint32_t> after;
  /// The predicted time, in nanoseconds.
  uint64_t nanoseconds = 0;
  /// Whether the command copies a value to another device.
  bool isCrossing = false;
  /// The bytes that are in use only because of this command: the bytes that it
  /// writes, and the bytes that it reads.
  uint64_t bytesWritten = 0;
  uint64_t bytesRead = 0;
  /// The buffers of `OrderedMemory` that the command accesses, each once.
  std::vector<uint32_t> buffers = {};
  /// Whether the command runs as soon as it can. Such a command needs no new
  /// memory and may free some. For example, the update of a variable frees a
  /// gradient.
  bool comesEarly = false;
};

/// The memory of the commands: the scratch of devices.
struct OrderedMemory {
  /// The buffers. The pool of a buffer is the number of its device.
  std::vector<TaskMemory::Buffer> buffers;
  uint32_t numDevices = 0;
  /// For each queue, the number of its device.
  std::vector<uint32_t> deviceOfQueue;
};

/// The order of the text, changed as little as `after` allows:
/// - If a command must wait for later commands of its queue, it is moved after
///   these commands. But if these commands can run, and need no more memory
///   than the waiting command reads, they are moved before it instead.
/// - A command that comes early and waits for others is moved right after the
///   last command for which it waits.
///
/// `commands` has the commands of each queue in the order of the text. The
/// result has all of them, without points, in one order that each queue
/// follows. It is an error if `after` has a cycle. Takes O(n log n) steps for a
/// fixed number of queues.
StatusOr<std::vector<uint32_t>>
orderByText(std::span<const OrderedCommand> commands);

/// The order for several devices. A queue prefers commands that lead to a
/// crossing. If commands lead to different crossings, the crossing that is
/// followed by the most work comes first. So no device waits longer than
/// necessary for values of another device. If commands are equally urgent,
/// commands with `comesEarly` come first, and all others keep the order of the
/// text. The order is found by a simulation in predicted times. So no queue
/// waits for one command while it could run another.
///
/// Commands that lead to no crossing, such as gradients of weights, may hold
/// the operands of many other commands. So a device that would need more
/// scratch than by the order of the text first runs commands that free some.
///
/// Takes and returns the same as `orderByText`.
StatusOr<std::vector<uint32_t>>
orderByCrossings(std::span<const OrderedCommand> commands,
                 const OrderedMemory &memory = {});

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_COMMANDORDER_H
