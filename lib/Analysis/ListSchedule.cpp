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
  }
  if (queue.ready.empty())
    return;
  take(graph, queue, pop(queue.ready, std::less<>()).task, now);
  push(turns, {queue.freeAt, number}, std::greater<>());
}

const ListSchedule &ListScheduler::run(const TaskGraph &graph) {
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
