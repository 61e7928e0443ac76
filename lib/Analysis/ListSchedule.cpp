//===- ListSchedule.cpp - When tasks run on queues --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/ListSchedule.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

using namespace weir;
using namespace weir::analysis;

uint64_t analysis::addTimes(uint64_t left, uint64_t right) {
  return left + std::min(right, UINT64_MAX - left);
}

//===----------------------------------------------------------------------===//
// TaskGraph
//===----------------------------------------------------------------------===//

uint32_t TaskGraph::add(const Task &task, std::span<const uint32_t> after) {
  tasks.push_back(task);
  before.insert(before.end(), after.begin(), after.end());
  ends.push_back(before.size());
  if (!task.isPoint())
    queues = std::max(queues, task.queue + 1);
  return size() - 1;
}

void TaskGraph::clear() {
  tasks.clear();
  before.clear();
  ends.assign(1, 0);
  queues = 0;
}

void TaskFollowers::assign(const TaskGraph &graph) {
  begins.assign(graph.size() + 1, 0);
  for (uint32_t task = 0; task < graph.size(); ++task)
    for (const uint32_t earlier : graph.after(task))
      ++begins[earlier + 1];
  for (uint32_t task = 0; task < graph.size(); ++task)
    begins[task + 1] += begins[task];
  followers.resize(graph.numDependencies());
  // Each list is filled from its end, so that `begins` are right at last.
  for (uint32_t task = graph.size(); task-- > 0;)
    for (const uint32_t earlier : graph.after(task))
      followers[--begins[earlier + 1]] = task;
  std::rotate(begins.begin(), begins.begin() + 1, begins.end());
  begins.back() = followers.size();
}

//===----------------------------------------------------------------------===//
// Memory of tasks
//===----------------------------------------------------------------------===//

void BuffersInUse::start(const TaskMemory &needed) {
  memory = &needed;
  states.assign(memory->buffers.size(), {});
  bytes.assign(memory->pools.size(), 0);
  for (uint32_t task = 0; task < memory->accesses.size(); ++task)
    for (const uint32_t buffer : memory->accesses[task]) {
      ++states[buffer].numTasks;
      states[buffer].sumOfTasks += task;
    }
}

uint64_t BuffersInUse::bytesWith(uint32_t task, uint32_t pool) const {
  uint64_t total = bytes[pool];
  for (const uint32_t number : memory->accesses[task])
    if (const TaskMemory::Buffer &buffer = memory->buffers[number];
        buffer.pool == pool && !states[number].isInUse)
      total += buffer.bytes;
  return total;
}

int64_t BuffersInUse::growthOf(uint32_t task, uint32_t pool) const {
  int64_t growth = 0;
  for (const uint32_t number : memory->accesses[task]) {
    const TaskMemory::Buffer &buffer = memory->buffers[number];
    if (buffer.pool != pool)
      continue;
    if (!states[number].isInUse)
      growth += static_cast<int64_t>(buffer.bytes);
    if (states[number].numTasks == 1)
      growth -= static_cast<int64_t>(buffer.bytes);
  }
  return growth;
}

template <typename WhenLast>
void BuffersInUse::take(uint32_t task, WhenLast whenLast) {
  for (const uint32_t number : memory->accesses[task]) {
    const TaskMemory::Buffer &buffer = memory->buffers[number];
    State &state = states[number];
    if (!state.isInUse)
      bytes[buffer.pool] += buffer.bytes;
    state.isInUse = true;
    state.sumOfTasks -= task;
    --state.numTasks;
    if (state.numTasks == 0)
      bytes[buffer.pool] -= buffer.bytes;
  }
  // All buffers of the task are up to date before anyone asks for a growth.
  for (const uint32_t number : memory->accesses[task])
    if (states[number].numTasks == 1)
      whenLast(static_cast<uint32_t>(states[number].sumOfTasks));
}

std::vector<uint64_t>
TaskMemory::peaksOf(std::span<const uint32_t> order) const {
  BuffersInUse inUse;
  inUse.start(*this);
  std::vector<uint64_t> peaks(pools.size());
  for (const uint32_t task : order) {
    for (const uint32_t buffer : accesses[task]) {
      const uint32_t pool = buffers[buffer].pool;
      peaks[pool] = std::max(peaks[pool], inUse.bytesWith(task, pool));
    }
    inUse.take(task, [](uint32_t) {});
  }
  return peaks;
}

//===----------------------------------------------------------------------===//
// ListScheduler
//===----------------------------------------------------------------------===//

bool ListScheduler::Candidate::operator<(const Candidate &other) const {
  return std::tuple(urgency, comesEarly, other.task) <
         std::tuple(other.urgency, other.comesEarly, task);
}

template <typename Element, typename Less>
static void push(std::vector<Element> &heap, Element element, Less less) {
  heap.push_back(element);
  std::push_heap(heap.begin(), heap.end(), less);
}

template <typename Element, typename Less>
static Element pop(std::vector<Element> &heap, Less less) {
  std::pop_heap(heap.begin(), heap.end(), less);
  const Element top = heap.back();
  heap.pop_back();
  return top;
}

void ListScheduler::start(const TaskGraph &graph) {
  followers.assign(graph);
  pending.resize(graph.size());
  queues.resize(graph.numQueues());
  for (Queue &queue : queues) {
    queue.freeAt = 0;
    queue.coming.clear();
    queue.ready.clear();
    queue.growths.clear();
  }
  if (memory) {
    states.assign(graph.size(), State::Waiting);
    inUse.start(*memory);
  }
  links.clear();
  turns.clear();
  numEnded = 0;
  schedule.order.clear();
  schedule.times.assign(graph.size(), {});
  schedule.nanoseconds = 0;
  schedule.stuck.reset();
  for (uint32_t task = 0; task < graph.size(); ++task)
    pending[task] = static_cast<uint32_t>(graph.after(task).size());
  for (uint32_t task = 0; task < graph.size(); ++task)
    if (graph.after(task).empty())
      makeReady(graph, task);
}

/// Notes that nothing keeps `task` any more. `begin` of its times is the time
/// at which it can run.
void ListScheduler::makeReady(const TaskGraph &graph, uint32_t task) {
  const uint64_t readyAt = schedule.times[task].begin;
  if (graph[task].isPoint()) {
    schedule.times[task].end = readyAt;
    reached.push_back(task);
    return;
  }
  Queue &queue = queues[graph[task].queue];
  push(queue.coming, {readyAt, task}, std::greater<>());
  push(turns, {std::max(readyAt, queue.freeAt), graph[task].queue},
       std::greater<>());
}

/// Tells the followers of `task` that it ends.
void ListScheduler::release(const TaskGraph &graph, uint32_t task) {
  ++numEnded;
  const uint64_t end = schedule.times[task].end;
  for (const uint32_t next : followers.of(task)) {
    uint64_t &readyAt = schedule.times[next].begin;
    readyAt = std::max(readyAt, end);
    if (--pending[next] == 0)
      makeReady(graph, next);
  }
}

/// Lets `queue` take `task`, at `now`.
void ListScheduler::take(const TaskGraph &graph, Queue &queue, uint32_t task,
                         uint64_t now) {
  TaskTimes &times = schedule.times[task];
  times.taken = times.begin = now;
  if (const uint32_t link = graph[task].link) {
    if (links.size() <= link)
      links.resize(link + 1);
    times.begin = std::max(now, links[link]);
  }
  times.end = queue.freeAt = addTimes(times.begin, graph[task].nanoseconds);
  if (const uint32_t link = graph[task].link)
    links[link] = times.end;
  schedule.nanoseconds = std::max(schedule.nanoseconds, times.end);
  schedule.order.push_back(task);
  release(graph, task);
}

/// Lets the queue `number`, which is free at `now`, take a task.
void ListScheduler::step(const TaskGraph &graph, uint32_t number,
                         uint64_t now) {
  Queue &queue = queues[number];
  while (!queue.coming.empty() && queue.coming.front().first <= now) {
    const uint32_t task = pop(queue.coming, std::greater<>()).second;
    push(queue.ready, {graph[task].urgency, graph[task].comesEarly, task},
         std::less<>());
    if (memory) {
      states[task] = State::Ready;
      noteGrowth(graph, task);
    }
  }
  while (memory && !queue.ready.empty() &&
         states[queue.ready.front().task] == State::Taken)
    pop(queue.ready, std::less<>());
  if (queue.ready.empty())
    return;
  const uint32_t task = memory ? chooseByMemory(graph, number)
                               : pop(queue.ready, std::less<>()).task;
  take(graph, queue, task, now);
  push(turns, {queue.freeAt, number}, std::greater<>());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Adds `task`, which can run, to the tasks by growth, unless it only needs
/// more bytes.
void ListScheduler::noteGrowth(const TaskGraph &graph, uint32_t task) {
  const uint32_t queue = graph[task].queue;
  const int64_t growth = inUse.growthOf(task, memory->poolOfQueue[queue]);
  if (growth <= 0)
    push(queues[queue].growths, {growth, task}, std::greater<>());
}

/// Takes the next task of the queue `number` from its lists.
uint32_t ListScheduler::chooseByMemory(const TaskGraph &graph,
                                       uint32_t number) {
  Queue &queue = queues[number];
  const uint32_t pool = memory->poolOfQueue[number];
  uint32_t chosen = queue.ready.front().task;
  if (inUse.bytesWith(chosen, pool) > memory->pools[pool].limit) {
    while (!queue.growths.empty() &&
           states[queue.growths.front().second] == State::Taken)
      pop(queue.growths, std::greater<>());
    if (!queue.growths.empty() &&
        queue.growths.front().first < inUse.growthOf(chosen, pool))
      chosen = queue.growths.front().second;
  }
  // A task that is taken out of turn stays in the list, as a taken one.
  if (chosen == queue.ready.front().task)
    pop(queue.ready, std::less<>());
  states[chosen] = State::Taken;
  inUse.take(chosen, [&](uint32_t last) {
    if (states[last] == State::Ready)
      noteGrowth(graph, last);
  });
  return chosen;
}

const ListSchedule &ListScheduler::run(const TaskGraph &graph,
                                       const TaskMemory *needed) {
  memory = needed;
  start(graph);
  while (true) {
    while (!reached.empty()) {
      const uint32_t point = reached.back();
      reached.pop_back();
      release(graph, point);
    }
    if (turns.empty())
      break;
    const auto [now, queue] = pop(turns, std::greater<>());
    // The queue has used this turn already if it is busy at `now`.
    if (now >= queues[queue].freeAt)
      step(graph, queue, now);
  }
  if (numEnded < graph.size())
    schedule.stuck = static_cast<uint32_t>(
        std::ranges::find_if(pending, [](uint32_t n) { return n > 0; }) -
        pending.begin());
  return schedule;
}
