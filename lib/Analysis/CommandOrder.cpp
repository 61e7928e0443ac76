//===- CommandOrder.cpp - The order of the commands of each queue ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CommandOrder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

using namespace weir;
using namespace weir::analysis;

template <typename T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

namespace {

/// Knows which commands wait for which others, and which commands have been
/// issued.
class Progress {
public:
  explicit Progress(const TaskGraph &graph);

  bool isReady(uint32_t command) const { return states[command].pending == 0; }
  bool isIssued(uint32_t command) const { return states[command].isIssued; }
  /// Appends `command` to the order. Calls `whenReady` with each follower that
  /// now waits for nothing. A point that waits for nothing is issued at once,
  /// and its followers are treated in the same way.
  template <typename WhenReady>
  void issue(uint32_t command, WhenReady whenReady);
  /// The order, or an error if some commands could not be issued.
  StatusOr<std::vector<uint32_t>> take();

private:
  struct State {
    /// The number of commands that must be issued before this one.
    uint32_t pending = 0;
    bool isIssued = false;
  };

  const TaskGraph &graph;
  TaskFollowers followers;
  /// The state of each command.
  std::vector<State> states;
  std::vector<uint32_t> order;
  size_t numIssued = 0;
};

/// Issues the commands of each queue in the order of the text. Early commands
/// are issued as soon as they can run. If all queues wait, one command is taken
/// out of turn.
class TextOrder {
public:
  explicit TextOrder(std::span<const OrderedCommand> commands);

  StatusOr<std::vector<uint32_t>> run();

private:
  struct Queue {
    std::vector<uint32_t> text;
    /// The place in `text` of the first command that is not issued.
    size_t head = 0;
    MinHeap<uint32_t> ready;
    /// A place in the list `after` of the head. The command at that place
    /// cannot run yet.
    size_t blocker = 0;
    bool isWaiting = false;
  };

  void issue(uint32_t command);
  void issueOne(uint32_t command);
  bool advance(Queue &queue);
  bool issueReaders(Queue &queue);
  bool waitsForLater(const Queue &queue) const;
  bool takeFrom(Queue &queue);
  bool takeOutOfTurn();

  std::span<const OrderedCommand> commands;
  const TaskGraph graph;
  Progress progress;
  std::vector<Queue> queues;
  /// Early commands that can run.
  MinHeap<uint32_t> early;
  /// Whether a command must come after a command that stands behind it in the
  /// text of the same queue.
  std::vector<bool> isTooEarly;
};

} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// The commands as tasks, without urgency.
static TaskGraph graphOf(std::span<const OrderedCommand> commands) {
  TaskGraph graph;
  for (const OrderedCommand &command : commands)
    graph.add({.queue = command.queue,
               .nanoseconds = std::max<uint64_t>(command.nanoseconds, 1),
               .comesEarly = command.comesEarly},
              command.after);
  return graph;
}

static Status cycleAt(size_t command) {
  return invalidArgument(fmt::format(
      "command {} and others wait for each other in a cycle; write one of the "
      "values that they update to other bytes",
      command));
}

Progress::Progress(const TaskGraph &graph)
    : graph(graph), followers(graph), states(graph.size()) {
  order.reserve(graph.size());
  for (uint32_t command = 0; command < graph.size(); ++command)
    states[command].pending =
        static_cast<uint32_t>(graph.after(command).size());
}

template <typename WhenReady>
void Progress::issue(uint32_t command, WhenReady whenReady) {
  order.push_back(command);
  std::vector<uint32_t> passed = {command};
  while (!passed.empty()) {
    uint32_t from = passed.back();
    passed.pop_back();
    states[from].isIssued = true;
    ++numIssued;
    for (uint32_t next : followers.of(from)) {
      if (--states[next].pending != 0)
        continue;
      if (graph[next].isPoint())
        passed.push_back(next);
      else
        whenReady(next);
    }
  }
}

StatusOr<std::vector<uint32_t>> Progress::take() {
  if (numIssued == states.size())
    return std::move(order);
  return cycleAt(static_cast<size_t>(
      std::ranges::find(states, false, &State::isIssued) - states.begin()));
}

//===----------------------------------------------------------------------===//
// Order of the text
//===----------------------------------------------------------------------===//

TextOrder::TextOrder(std::span<const OrderedCommand> commands)
    : commands(commands), graph(graphOf(commands)), progress(graph),
      queues(graph.numQueues()), isTooEarly(commands.size()) {
  for (uint32_t command = 0; command < commands.size(); ++command) {
    if (graph[command].isPoint())
      continue;
    Queue &queue = queues[commands[command].queue];
    queue.text.push_back(command);
    for (uint32_t before : commands[command].after)
      if (before > command && commands[before].queue == commands[command].queue)
        isTooEarly[command] = true;
    if (progress.isReady(command))
      queue.ready.push(command);
  }
}

void TextOrder::issueOne(uint32_t command) {
  progress.issue(command, [&](uint32_t next) {
    queues[commands[next].queue].ready.push(next);
    if (commands[next].comesEarly)
      early.push(next);
  });
}

/// Issues `command`, and all early commands that can then run.
void TextOrder::issue(uint32_t command) {
  issueOne(command);
  while (!early.empty()) {
    uint32_t next = early.top();
    early.pop();
    if (!progress.isIssued(next))
      issueOne(next);
  }
}

/// Issues commands in the order of the text. Returns whether the head of
/// `queue` has moved.
bool TextOrder::advance(Queue &queue) {
  bool hasMoved = false;
  for (; queue.head < queue.text.size(); ++queue.head) {
    uint32_t command = queue.text[queue.head];
    if (!progress.isIssued(command)) {
      if (!progress.isReady(command) && !issueReaders(queue))
        return hasMoved;
      // `issueReaders` may have issued `command` already, if it is an early
      // command.
      if (!progress.isIssued(command))
        issue(command);
    }
    hasMoved = true;
    queue.blocker = 0;
    queue.isWaiting = false;
  }
  return hasMoved;
}

/// Issues the commands that the head of `queue` waits for, if all of them can
/// run now and write no more bytes than the head reads. Commands in front of
/// `blocker` are not checked again, because each of them can run or has run.
bool TextOrder::issueReaders(Queue &queue) {
  if (queue.isWaiting)
    return false;
  const OrderedCommand &head = commands[queue.text[queue.head]];
  for (; queue.blocker < head.after.size(); ++queue.blocker)
    if (uint32_t before = head.after[queue.blocker];
        !progress.isReady(before) ||
        (commands[before].queue != head.queue && !progress.isIssued(before)))
      return false;
  std::vector<uint32_t> readers;
  uint64_t bytes = 0;
  for (uint32_t before : head.after)
    if (!progress.isIssued(before)) {
      readers.push_back(before);
      bytes += commands[before].bytesWritten;
    }
  queue.isWaiting = bytes > head.bytesRead;
  if (queue.isWaiting)
    return false;
  std::sort(readers.begin(), readers.end());
  for (uint32_t reader : readers)
    if (!progress.isIssued(reader))
      issue(reader);
  return true;
}

/// Issues the first command of `queue` that can run. Returns whether there is
/// one.
bool TextOrder::takeFrom(Queue &queue) {
  while (!queue.ready.empty()) {
    uint32_t command = queue.ready.top();
    queue.ready.pop();
    if (progress.isIssued(command))
      continue;
    issue(command);
    return true;
  }
  return false;
}

bool TextOrder::waitsForLater(const Queue &queue) const {
  return queue.head < queue.text.size() && isTooEarly[queue.text[queue.head]];
}

/// Issues a command that can run although an earlier command of its queue
/// cannot. Prefers a queue whose order cannot be kept, because the other queues
/// may be waiting only for that queue.
bool TextOrder::takeOutOfTurn() {
  for (Queue &queue : queues)
    if (waitsForLater(queue) && takeFrom(queue))
      return true;
  return std::any_of(queues.begin(), queues.end(),
                     [&](Queue &queue) { return takeFrom(queue); });
}

StatusOr<std::vector<uint32_t>> TextOrder::run() {
  while (true) {
    bool hasMoved = false;
    for (Queue &queue : queues)
      hasMoved |= advance(queue);
    if (!hasMoved && !takeOutOfTurn())
      return progress.take();
  }
}

StatusOr<std::vector<uint32_t>>
weir::analysis::orderByText(std::span<const OrderedCommand> commands) {
  return TextOrder(commands).run();
}

//===----------------------------------------------------------------------===//
// Crossings first
//===----------------------------------------------------------------------===//

/// The urgency of each command. If a command leads to a crossing, its urgency
/// is the longest time from that crossing to the end of the run. If it leads to
/// several crossings, the largest urgency counts. If it leads to none, the
/// urgency is 0.
static std::vector<uint64_t>
findUrgency(std::span<const OrderedCommand> commands) {
  struct Rest {
    uint32_t numFollowers = 0;
    uint64_t toEnd = 0;
    uint64_t urgency = 0;
  };
  std::vector<Rest> rests(commands.size());
  for (const OrderedCommand &command : commands)
    for (const uint32_t before : command.after)
      ++rests[before].numFollowers;
  std::vector<uint32_t> last;
  for (uint32_t command = 0; command < commands.size(); ++command)
    if (rests[command].numFollowers == 0)
      last.push_back(command);
  while (!last.empty()) {
    const OrderedCommand &command = commands[last.back()];
    Rest &rest = rests[last.back()];
    last.pop_back();
    rest.toEnd = addTimes(rest.toEnd, command.nanoseconds);
    if (command.isCrossing)
      rest.urgency = std::max(rest.urgency, addTimes(rest.toEnd, 1));
    for (const uint32_t before : command.after) {
      rests[before].toEnd = std::max(rests[before].toEnd, rest.toEnd);
      rests[before].urgency = std::max(rests[before].urgency, rest.urgency);
      if (--rests[before].numFollowers == 0)
        last.push_back(before);
    }
  }
  std::vector<uint64_t> urgency;
  for (const Rest &rest : rests)
    urgency.push_back(rest.urgency);
  return urgency;
}

/// What the commands need. No device may need more than by the order of the
/// text.
static StatusOr<TaskMemory>
limitMemory(std::span<const OrderedCommand> commands,
            const OrderedMemory &memory) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<uint32_t> text,
                        orderByText(commands));
  TaskMemory limited;
  limited.buffers = memory.buffers;
  limited.pools.resize(memory.numDevices);
  limited.poolOfQueue = memory.deviceOfQueue;
  for (const OrderedCommand &command : commands)
    limited.accesses.push_back(command.buffers);
  const std::vector<uint64_t> peaks = limited.peaksOf(text);
  for (uint32_t device = 0; device < memory.numDevices; ++device)
    limited.pools[device].limit = peaks[device];
  return limited;
}

StatusOr<std::vector<uint32_t>>
weir::analysis::orderByCrossings(std::span<const OrderedCommand> commands,
                                 const OrderedMemory &memory) {
  TaskGraph graph = graphOf(commands);
  const std::vector<uint64_t> urgency = findUrgency(commands);
  for (uint32_t command = 0; command < graph.size(); ++command)
    graph[command].urgency = urgency[command];
  std::optional<TaskMemory> limited;
  if (!memory.buffers.empty()) {
    WEIR_ASSIGN_OR_RETURN(limited, limitMemory(commands, memory));
  }
  ListScheduler scheduler;
  const ListSchedule &schedule =
      scheduler.run(graph, limited ? &*limited : nullptr);
  if (schedule.stuck)
    return cycleAt(*schedule.stuck);
  return schedule.order;
}
