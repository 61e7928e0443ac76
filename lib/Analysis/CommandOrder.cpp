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
#include <tuple>

using namespace weir;
using namespace weir::analysis;

template <typename T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

/// The sum of two times, or the longest time if that is shorter. Stated rates
/// can make each predicted time as long as 10^18 ns.
static uint64_t addTimes(uint64_t left, uint64_t right) {
  return left + std::min(right, UINT64_MAX - left);
}

namespace {

/// Knows which commands wait for which others, and which commands have been
/// issued.
class Progress {
public:
  explicit Progress(std::span<const OrderedCommand> commands);

  uint32_t getNumQueues() const { return numQueues; }
  bool isReady(uint32_t command) const { return states[command].pending == 0; }
  bool isIssued(uint32_t command) const { return states[command].isIssued; }
  /// Appends `command` to the order. Calls `passOn` with the command and each
  /// of its followers. Calls `whenReady` with each follower that now waits for
  /// nothing. A point that waits for nothing is issued at once, and its
  /// followers are treated in the same way.
  template <typename PassOn, typename WhenReady>
  void issue(uint32_t command, PassOn passOn, WhenReady whenReady);
  const std::vector<uint32_t> &getFollowers(uint32_t command) const {
    return states[command].followers;
  }
  /// The order, or an error if some commands could not be issued.
  StatusOr<std::vector<uint32_t>> take();

private:
  struct State {
    std::vector<uint32_t> followers;
    /// The number of commands that must be issued before this one.
    uint32_t pending = 0;
    bool isIssued = false;
  };

  uint32_t numQueues = 0;
  std::span<const OrderedCommand> commands;
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
  Progress progress;
  std::vector<Queue> queues;
  /// Early commands that can run.
  MinHeap<uint32_t> early;
  /// Whether a command must come after a command that stands behind it in the
  /// text of the same queue.
  std::vector<bool> isTooEarly;
};

/// Simulates the queues, each of which takes the most urgent command that can
/// run.
class CrossingOrder {
public:
  explicit CrossingOrder(std::span<const OrderedCommand> commands);

  StatusOr<std::vector<uint32_t>> run();

private:
  /// A command that can run. Candidates are ordered by urgency, then early
  /// commands come first, and then the order of the text decides.
  struct Candidate {
    uint64_t urgency;
    bool comesEarly;
    uint32_t command;
    bool operator<(const Candidate &other) const {
      return std::tuple(urgency, comesEarly, other.command) <
             std::tuple(other.urgency, other.comesEarly, command);
    }
  };
  struct Queue {
    uint64_t freeAt = 0;
    /// The commands that can run later, ordered by the time at which they can
    /// run.
    MinHeap<std::pair<uint64_t, uint32_t>> coming;
    /// The commands that can run now.
    std::priority_queue<Candidate> ready;
  };

  void addUrgency();
  void makeReady(uint32_t command);
  void step(uint32_t queue, uint64_t now);

  std::span<const OrderedCommand> commands;
  Progress progress;
  struct Timing {
    uint64_t urgency = 0;
    /// The time at which all commands that this one waits for are complete.
    uint64_t readyAt = 0;
  };
  /// The timing of each command.
  std::vector<Timing> timings;
  std::vector<Queue> queues;
  /// The times at which queues could take a command.
  MinHeap<std::pair<uint64_t, uint32_t>> turns;
};

} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

static bool isPoint(const OrderedCommand &command) {
  return command.queue == OrderedCommand::noQueue;
}

Progress::Progress(std::span<const OrderedCommand> commands)
    : commands(commands), states(commands.size()) {
  order.reserve(commands.size());
  for (uint32_t command = 0; command < commands.size(); ++command) {
    if (!isPoint(commands[command]))
      numQueues = std::max(numQueues, commands[command].queue + 1);
    states[command].pending =
        static_cast<uint32_t>(commands[command].after.size());
    for (uint32_t before : commands[command].after)
      states[before].followers.push_back(command);
  }
}

template <typename PassOn, typename WhenReady>
void Progress::issue(uint32_t command, PassOn passOn, WhenReady whenReady) {
  order.push_back(command);
  std::vector<uint32_t> passed = {command};
  while (!passed.empty()) {
    uint32_t from = passed.back();
    passed.pop_back();
    states[from].isIssued = true;
    ++numIssued;
    for (uint32_t next : states[from].followers) {
      passOn(from, next);
      if (--states[next].pending != 0)
        continue;
      if (isPoint(commands[next]))
        passed.push_back(next);
      else
        whenReady(next);
    }
  }
}

StatusOr<std::vector<uint32_t>> Progress::take() {
  if (numIssued == states.size())
    return std::move(order);
  auto stuck = std::ranges::find(states, false, &State::isIssued);
  return invalidArgument(fmt::format(
      "command {} and others wait for each other in a cycle; write one of the "
      "values that they update to other bytes",
      stuck - states.begin()));
}

//===----------------------------------------------------------------------===//
// Order of the text
//===----------------------------------------------------------------------===//

TextOrder::TextOrder(std::span<const OrderedCommand> commands)
    : commands(commands), progress(commands), queues(progress.getNumQueues()),
      isTooEarly(commands.size()) {
  for (uint32_t command = 0; command < commands.size(); ++command) {
    if (isPoint(commands[command]))
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
  progress.issue(
      command, [](uint32_t, uint32_t) {},
      [&](uint32_t next) {
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

CrossingOrder::CrossingOrder(std::span<const OrderedCommand> commands)
    : commands(commands), progress(commands), timings(commands.size()),
      queues(progress.getNumQueues()) {}

/// Determines the urgency of each command. If a command leads to a crossing,
/// its urgency is the longest time from that crossing to the end of the run. If
/// it leads to several crossings, the largest urgency counts. If it leads to
/// none, the urgency is 0.
void CrossingOrder::addUrgency() {
  struct Rest {
    size_t numFollowers = 0;
    uint64_t toEnd = 0;
  };
  std::vector<Rest> rests(commands.size());
  std::vector<uint32_t> last;
  for (uint32_t command = 0; command < commands.size(); ++command) {
    rests[command].numFollowers = progress.getFollowers(command).size();
    if (rests[command].numFollowers == 0)
      last.push_back(command);
  }
  while (!last.empty()) {
    uint32_t command = last.back();
    last.pop_back();
    const uint64_t toEnd = rests[command].toEnd =
        addTimes(rests[command].toEnd, commands[command].nanoseconds);
    uint64_t &urgency = timings[command].urgency;
    if (commands[command].isCrossing)
      urgency = std::max(urgency, addTimes(toEnd, 1));
    for (uint32_t before : commands[command].after) {
      rests[before].toEnd = std::max(rests[before].toEnd, toEnd);
      timings[before].urgency = std::max(timings[before].urgency, urgency);
      if (--rests[before].numFollowers == 0)
        last.push_back(before);
    }
  }
}

void CrossingOrder::makeReady(uint32_t command) {
  uint32_t number = commands[command].queue;
  Queue &queue = queues[number];
  const uint64_t readyAt = timings[command].readyAt;
  queue.coming.push({readyAt, command});
  turns.push({std::max(readyAt, queue.freeAt), number});
}

/// Lets queue `number`, which is free at `now`, take a command.
void CrossingOrder::step(uint32_t number, uint64_t now) {
  Queue &queue = queues[number];
  while (!queue.coming.empty() && queue.coming.top().first <= now) {
    uint32_t command = queue.coming.top().second;
    queue.coming.pop();
    queue.ready.push(
        {timings[command].urgency, commands[command].comesEarly, command});
  }
  if (queue.ready.empty())
    return;
  uint32_t command = queue.ready.top().command;
  queue.ready.pop();
  queue.freeAt =
      addTimes(now, std::max<uint64_t>(commands[command].nanoseconds, 1));
  auto passOn = [&](uint32_t from, uint32_t next) {
    uint64_t end = from == command ? queue.freeAt : timings[from].readyAt;
    timings[next].readyAt = std::max(timings[next].readyAt, end);
  };
  progress.issue(command, passOn, [&](uint32_t next) { makeReady(next); });
  turns.push({queue.freeAt, number});
}

StatusOr<std::vector<uint32_t>> CrossingOrder::run() {
  addUrgency();
  for (uint32_t command = 0; command < commands.size(); ++command)
    if (progress.isReady(command) && !isPoint(commands[command]))
      makeReady(command);
  while (!turns.empty()) {
    auto [now, queue] = turns.top();
    turns.pop();
    // Another command has already used this turn if the queue is busy at `now`.
    if (now >= queues[queue].freeAt)
      step(queue, now);
  }
  return progress.take();
}

StatusOr<std::vector<uint32_t>>
weir::analysis::orderByCrossings(std::span<const OrderedCommand> commands) {
  return CrossingOrder(commands).run();
}
