//===- Timeline.cpp - When commands run, by predicted times ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Timeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <queue>
#include <utility>

using namespace weir;
using namespace weir::analysis;

uint64_t analysis::toNs(double seconds) {
  return static_cast<uint64_t>(std::llround(std::min(seconds * 1e9, 1e18)));
}

namespace {

/// A queue of pairs, the least first.
template <typename Pair>
using LeastFirst = std::priority_queue<Pair, std::vector<Pair>, std::greater<>>;

/// The times at which an event was raised, and the queues that wait for it.
struct SimulatedEvent {
  struct Raise {
    int64_t value;
    double time;
  };
  std::vector<Raise> raises;
  /// The values that the event has not reached, each with a queue that waits
  /// for it. The least value comes first.
  LeastFirst<std::pair<int64_t, uint32_t>> waiters;

  /// The first time at which the event has reached `value`; negative if it has
  /// not.
  double whenReached(int64_t value) const {
    if (value < 1)
      return 0;
    const auto raise =
        std::ranges::lower_bound(raises, value, {}, &Raise::value);
    return raise == raises.end() ? -1 : raise->time;
  }
};

/// Runs each queue until it has to wait or needs a link. Queues must occupy
/// links in the order of time, so the queue with the earliest clock goes on.
/// Nothing else depends on the order in which queues are simulated.
class Simulation {
public:
  Simulation(std::span<const std::vector<TimedCommand>> queues,
             uint32_t numEvents)
      : queues(queues), events(numEvents), clocks(queues.size()) {
    for (const std::vector<TimedCommand> &queue : queues)
      timeline.spans.emplace_back().reserve(queue.size());
  }

  StatusOr<Timeline> run() {
    for (uint32_t queue = 0; queue < queues.size(); ++queue)
      ready.emplace(0, queue);
    while (!ready.empty()) {
      const uint32_t queue = ready.top().second;
      ready.pop();
      WEIR_RETURN_IF_ERROR(advance(queue));
    }
    for (uint32_t queue = 0; queue < queues.size(); ++queue)
      if (const size_t at = timeline.spans[queue].size();
          at < queues[queue].size())
        return invalidArgument(fmt::format(
            "command {} of queue {} waits for ever: event {} never reaches {}",
            at, queue, queues[queue][at].event, queues[queue][at].value));
    timeline.seconds = clocks.empty() ? 0 : std::ranges::max(clocks);
    return std::move(timeline);
  }

private:
  /// Runs the commands of `queue` up to its end, to a wait whose end is not
  /// known yet, or to a link that another queue may ask for earlier.
  Status advance(uint32_t queue) {
    std::vector<TimeSpan> &spans = timeline.spans[queue];
    double &clock = clocks[queue];
    const size_t first = spans.size();
    while (spans.size() < queues[queue].size()) {
      const TimedCommand &command = queues[queue][spans.size()];
      if (command.link > 0 && spans.size() > first) {
        ready.emplace(clock, queue);
        return Status::ok();
      }
      double begin = clock;
      if (command.kind == CommandKind::Work) {
        begin = useLink(command, clock);
        clock = begin + command.seconds;
      } else if (command.event >= events.size()) {
        return invalidArgument(
            fmt::format("command {} of queue {} names event {} of {}",
                        spans.size(), queue, command.event, events.size()));
      } else if (command.kind == CommandKind::Record) {
        raise(events[command.event], command.value, clock);
      } else {
        const double reached = events[command.event].whenReached(command.value);
        if (reached < 0) {
          events[command.event].waiters.emplace(command.value, queue);
          return Status::ok();
        }
        clock = std::max(clock, reached);
      }
      spans.push_back({begin, clock});
    }
    return Status::ok();
  }

  /// The time at which `command`, which is ready at `time`, begins. The command
  /// occupies its link until it ends.
  double useLink(const TimedCommand &command, double time) {
    if (command.link == 0)
      return time;
    double &freeAt = links[command.link];
    const double begin = std::max(time, freeAt);
    freeAt = begin + command.seconds;
    return begin;
  }

  void raise(SimulatedEvent &event, int64_t value, double time) {
    event.raises.push_back({value, time});
    while (!event.waiters.empty() && event.waiters.top().first <= value) {
      const uint32_t queue = event.waiters.top().second;
      event.waiters.pop();
      ready.emplace(std::max(clocks[queue], time), queue);
    }
  }

  std::span<const std::vector<TimedCommand>> queues;
  std::vector<SimulatedEvent> events;
  std::vector<double> clocks;
  /// The time at which each link is free again.
  std::map<uint32_t, double> links;
  /// The times at which queues can go on, each with its queue, the earliest
  /// first.
  LeastFirst<std::pair<double, uint32_t>> ready;
  Timeline timeline;
};

} // namespace

StatusOr<Timeline> weir::analysis::simulateTimeline(
    std::span<const std::vector<TimedCommand>> queues, uint32_t numEvents) {
  return Simulation(queues, numEvents).run();
}
