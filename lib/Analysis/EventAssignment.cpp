//===- EventAssignment.cpp - Finds the events for given dependencies ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VectorClocks.h"

#include <fmt/format.h>

#include <map>

using namespace weir;
using namespace weir::analysis;

namespace {

/// Walks the commands in an order that respects all dependencies. Keeps at each
/// command only the waits that no other wait implies.
class EventReducer {
public:
  EventReducer(std::span<const uint32_t> sizes, std::vector<Dependency> sorted)
      : sizes(sizes), dependencies(std::move(sorted)), clocks(sizes.size()),
        next(sizes.size()), cursor(sizes.size()) {
    for (uint32_t queue = 0; queue < sizes.size(); ++queue)
      cursor[queue] = lowerBound({queue, 0});
  }

  StatusOr<EventAssignment> run();

private:
  size_t lowerBound(CommandId to) const {
    return static_cast<size_t>(
        std::partition_point(dependencies.begin(), dependencies.end(),
                             [&](const Dependency &d) { return d.to < to; }) -
        dependencies.begin());
  }
  bool advance(uint32_t queue);
  void reduce(CommandId id, std::span<const Dependency> incoming);
  EventAssignment number() const;

  std::span<const uint32_t> sizes;
  /// The dependencies, ordered by (to, from).
  std::vector<Dependency> dependencies;
  VectorClocks clocks;
  /// The index of the next command of each queue.
  std::vector<uint32_t> next;
  /// The index of the first dependency of each queue's next command.
  std::vector<size_t> cursor;
  std::vector<Dependency> kept;
};

} // namespace

/// Advances `queue` as far as its dependencies allow. Returns whether the queue
/// has moved.
bool EventReducer::advance(uint32_t queue) {
  uint32_t begin = next[queue];
  for (; next[queue] < sizes[queue]; ++next[queue]) {
    CommandId id{queue, next[queue]};
    size_t end = cursor[queue];
    for (; end < dependencies.size() && dependencies[end].to == id; ++end)
      if (CommandId from = dependencies[end].from;
          next[from.queue] <= from.index)
        return next[queue] != begin;
    reduce(id,
           std::span(dependencies).subspan(cursor[queue], end - cursor[queue]));
    cursor[queue] = end;
  }
  return next[queue] != begin;
}

void EventReducer::reduce(CommandId id, std::span<const Dependency> incoming) {
  std::vector<CommandId> sources;
  for (const Dependency &dependency : incoming) {
    CommandId from = dependency.from;
    if (clocks.isBefore(from, id))
      continue;
    // Dependencies are ordered by (queue, index), so the latest command of a
    // queue comes last.
    if (!sources.empty() && sources.back().queue == from.queue)
      sources.back() = from;
    else
      sources.push_back(from);
  }
  for (CommandId from : sources) {
    bool isImplied =
        std::any_of(sources.begin(), sources.end(), [&](CommandId other) {
          return other.queue != from.queue && clocks.isBefore(from, other);
        });
    if (!isImplied)
      kept.push_back({from, id});
  }
  for (CommandId from : sources)
    clocks.join(id, from);
}

EventAssignment EventReducer::number() const {
  std::map<CommandId, uint32_t> events;
  for (const Dependency &edge : kept)
    events.emplace(edge.from, 0);
  EventAssignment out;
  for (auto &[command, event] : events) {
    event = static_cast<uint32_t>(out.records.size());
    out.records.push_back({event, command});
  }
  for (const Dependency &edge : kept)
    out.waits.push_back({events.at(edge.from), edge.to});
  std::sort(out.waits.begin(), out.waits.end(),
            [](const EventWait &a, const EventWait &b) {
              return a.wait != b.wait ? a.wait < b.wait : a.event < b.event;
            });
  return out;
}

StatusOr<EventAssignment> EventReducer::run() {
  for (bool hasMoved = true; hasMoved;) {
    hasMoved = false;
    for (uint32_t queue = 0; queue < sizes.size(); ++queue)
      hasMoved |= advance(queue);
  }
  for (uint32_t queue = 0; queue < sizes.size(); ++queue)
    if (next[queue] < sizes[queue])
      return invalidArgument(fmt::format(
          "the dependencies of queue {} command {} form a cycle; order the "
          "queues so that each command comes after what it needs",
          queue, next[queue]));
  return number();
}

StatusOr<EventAssignment>
weir::analysis::assignEvents(std::span<const uint32_t> commandsPerQueue,
                             std::span<const Dependency> dependencies) {
  auto exists = [&](CommandId id) {
    return id.queue < commandsPerQueue.size() &&
           id.index < commandsPerQueue[id.queue];
  };
  for (const Dependency &dependency : dependencies)
    for (CommandId id : {dependency.from, dependency.to})
      if (!exists(id))
        return invalidArgument(
            fmt::format("a dependency names queue {} command {}, which does "
                        "not exist",
                        id.queue, id.index));
  std::vector<Dependency> sorted(dependencies.begin(), dependencies.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Dependency &a, const Dependency &b) {
              return a.to != b.to ? a.to < b.to : a.from < b.from;
            });
  return EventReducer(commandsPerQueue, std::move(sorted)).run();
}
