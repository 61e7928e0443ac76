//===- ListSchedule.h - When tasks run on queues ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// List scheduling: a queue that is free takes the most urgent task that can
// run. See Graham, "Bounds on multiprocessing timing anomalies" (SIAM Journal
// on Applied Mathematics 17(2), 1969).
//
// The order of launches, the time of a placement and the timeline of a plan all
// come from this one simulation.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_LISTSCHEDULE_H
#define WEIR_ANALYSIS_LISTSCHEDULE_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weir::analysis {

/// The sum of two times, or the longest time if that is shorter. Stated rates
/// can make a predicted time as long as 10^18 ns.
uint64_t addTimes(uint64_t left, uint64_t right);

/// Work that occupies a queue for some time.
struct Task {
  /// The `queue` of a point. A point is no work, but the moment at which all
  /// tasks before it have ended. If many tasks wait for the same many tasks, a
  /// point between them keeps the number of dependencies small.
  static constexpr uint32_t noQueue = ~0u;
  uint32_t queue = 0;
  /// The number of the link that the task needs, if that link carries one task
  /// at a time; else 0.
  uint32_t link = 0;
  uint64_t nanoseconds = 0;
  /// How much the task is preferred to other tasks of its queue that can run.
  uint64_t urgency = 0;
  /// Whether the task comes before other tasks of the same urgency.
  bool comesEarly = false;

  bool isPoint() const { return queue == noQueue; }
};

/// Tasks and their dependencies. A task is called by its position.
class TaskGraph {
public:
  TaskGraph() : ends(1) {}

  /// Adds a task that begins when all of `after` have ended. Each task is
  /// listed once in `after`, and may be added later.
  uint32_t add(const Task &task, std::span<const uint32_t> after);
  /// Removes all tasks, but keeps the memory.
  void clear();

  uint32_t size() const { return static_cast<uint32_t>(tasks.size()); }
  Task &operator[](uint32_t task) { return tasks[task]; }
  const Task &operator[](uint32_t task) const { return tasks[task]; }
  std::span<const uint32_t> after(uint32_t task) const {
    return std::span(before).subspan(ends[task], ends[task + 1] - ends[task]);
  }
  /// One more than the highest queue.
  uint32_t numQueues() const { return queues; }
  /// The number of dependencies.
  size_t numDependencies() const { return before.size(); }

private:
  std::vector<Task> tasks;
  /// The lists `after` of all tasks, one behind the other.
  std::vector<uint32_t> before;
  /// For each task, where the list of the task begins in `before`. The last
  /// element is the size of `before`.
  std::vector<size_t> ends;
  uint32_t queues = 0;
};

/// The followers of each task: the tasks that list it in `after`.
class TaskFollowers {
public:
  TaskFollowers() = default;
  explicit TaskFollowers(const TaskGraph &graph) { assign(graph); }

  void assign(const TaskGraph &graph);
  std::span<const uint32_t> of(uint32_t task) const {
    return std::span(followers).subspan(begins[task],
                                        begins[task + 1] - begins[task]);
  }

private:
  std::vector<uint32_t> followers;
  std::vector<size_t> begins;
};

/// The memory that tasks need. A buffer is in use from the first task that
/// accesses it to the last.
struct TaskMemory {
  struct Buffer {
    uint64_t bytes = 0;
    /// The pool from which the bytes are taken, such as the memory of a device.
    uint32_t pool = 0;
  };
  /// A pool of memory.
  struct Pool {
    /// A schedule tries to keep no more bytes in use.
    uint64_t limit = UINT64_MAX;
  };
  std::vector<Buffer> buffers;
  std::vector<Pool> pools;
  /// For each task, the buffers that it accesses, each once.
  std::vector<std::vector<uint32_t>> accesses;
  /// For each queue, the pool that its tasks fill.
  std::vector<uint32_t> poolOfQueue;

  /// For each pool, the most bytes in use if the tasks run in `order`, one
  /// after the other.
  std::vector<uint64_t> peaksOf(std::span<const uint32_t> order) const;
};

/// The buffers that are in use at one moment of a schedule.
class BuffersInUse {
public:
  /// Begins a schedule of tasks that need `memory`.
  void start(const TaskMemory &memory);
  /// The bytes of `pool` in use if `task` were taken now.
  uint64_t bytesWith(uint32_t task, uint32_t pool) const;
  /// The bytes of `pool` that `task` brings into use, less those that it frees.
  int64_t growthOf(uint32_t task, uint32_t pool) const;
  /// Takes `task`: brings its buffers into use, and frees those that no other
  /// task accesses. Calls `whenLast` with each task that is the only one left
  /// to access a buffer.
  template <typename WhenLast> void take(uint32_t task, WhenLast whenLast);

private:
  struct State {
    /// The tasks that access the buffer and have not been taken.
    uint32_t numTasks = 0;
    /// The sum of their numbers, which is the number of the last one.
    uint64_t sumOfTasks = 0;
    bool isInUse = false;
  };

  const TaskMemory *memory = nullptr;
  /// The state of each buffer.
  std::vector<State> states;
  /// For each pool, the bytes in use.
  std::vector<uint64_t> bytes;
};

/// When a task begins and ends, in nanoseconds from the start of the run. It
/// occupies its queue from `taken` to `end`, and waits for its link from
/// `taken` to `begin`.
struct TaskTimes {
  uint64_t taken = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// What `ListScheduler` finds.
struct ListSchedule {
  /// The tasks without points, in the order in which queues take them.
  std::vector<uint32_t> order;
  /// The times, by task. Those of a point are the time at which all tasks
  /// before it have ended.
  std::vector<TaskTimes> times;
  /// The end of the last task.
  uint64_t nanoseconds = 0;
  /// The first task that never begins, because it waits for a task that waits
  /// for it. Such tasks are not in `order`.
  std::optional<uint32_t> stuck;
};

/// Schedules tasks. All queues are free at the start. If a queue is free, it
/// takes the most urgent of the tasks that can run. On a tie, tasks with
/// `comesEarly` come first, and then the task that was added first. A link
/// serves the task that was taken first, and among tasks taken at one time the
/// task of the queue with the lowest number.
///
/// If memory is given, a queue whose next task would exceed the limit of its
/// pool takes another task first: of those that bring no more bytes into use
/// than they free, the task that frees the most.
///
/// One scheduler serves many graphs and keeps its memory between them. A
/// schedule takes O(n log n) time for n tasks and dependencies.
class ListScheduler {
public:
  /// The schedule of `graph`, whose tasks need `memory`, if that is given. It
  /// is valid until the next call.
  const ListSchedule &run(const TaskGraph &graph,
                          const TaskMemory *memory = nullptr);

private:
  /// A task that can run.
  struct Candidate {
    uint64_t urgency;
    bool comesEarly;
    uint32_t task;
    bool operator<(const Candidate &other) const;
  };
  using TimedNumber = std::pair<uint64_t, uint32_t>;
  struct Queue {
    uint64_t freeAt = 0;
    /// The tasks that can run later, each with the time at which it can run. A
    /// heap, the earliest first.
    std::vector<TimedNumber> coming;
    /// The tasks that can run now, and some that have been taken. A heap, the
    /// most urgent first.
    std::vector<Candidate> ready;
    /// Tasks of `ready` by their growth, the least first. A heap. A task whose
    /// growth has changed is added again.
    std::vector<std::pair<int64_t, uint32_t>> growths;
  };

  void start(const TaskGraph &graph);
  void makeReady(const TaskGraph &graph, uint32_t task);
  void step(const TaskGraph &graph, uint32_t number, uint64_t now);
  void take(const TaskGraph &graph, Queue &queue, uint32_t task, uint64_t now);
  void release(const TaskGraph &graph, uint32_t task);
  uint32_t chooseByMemory(const TaskGraph &graph, uint32_t number);
  void noteGrowth(const TaskGraph &graph, uint32_t task);

  TaskFollowers followers;
  /// For each task, the number of tasks before it that have not ended.
  std::vector<uint32_t> pending;
  std::vector<Queue> queues;
  /// For each link, the time at which it is free.
  std::vector<uint64_t> links;
  /// The times at which queues could take a task. A heap, the earliest first.
  std::vector<TimedNumber> turns;
  /// Points that have been reached and not been passed on.
  std::vector<uint32_t> reached;
  size_t numEnded = 0;
  ListSchedule schedule;

  /// Null for a schedule that does not look at memory. All below needs it.
  const TaskMemory *memory = nullptr;
  enum class State : uint8_t { Waiting, Ready, Taken };
  /// The state of each task.
  std::vector<State> states;
  BuffersInUse inUse;
};

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_LISTSCHEDULE_H
