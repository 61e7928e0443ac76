//===- InPlaceUpdates.cpp - Which updates can be in place -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/InPlaceUpdates.h"

#include <algorithm>
#include <functional>
#include <queue>

using namespace weir::analysis;

namespace {

constexpr uint32_t none = ~0u;

/// A constraint: `to` comes after `from`. If `update` is not `none`, the
/// constraint holds only as long as that update is in place.
struct Edge {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t update = none;
};

using Edges = std::vector<std::vector<Edge>>;

/// Gives each command the number of its strongly connected component. All
/// cycles are within components (Tarjan, "Depth-first search and linear graph
/// algorithms", 1972).
class Components {
public:
  explicit Components(const Edges &incoming)
      : incoming(incoming), order(incoming.size(), none),
        lowest(incoming.size()), component(incoming.size(), none) {
    for (uint32_t command = 0; command < incoming.size(); ++command)
      if (order[command] == none)
        visit(command);
  }

  bool areTogether(const Edge &edge) const {
    return component[edge.from] == component[edge.to];
  }

private:
  struct Frame {
    uint32_t command;
    size_t next = 0;
  };

  void visit(uint32_t root);
  void enter(uint32_t command);
  void close(uint32_t command);

  const Edges &incoming;
  std::vector<uint32_t> order, lowest, component;
  std::vector<Frame> path;
  std::vector<uint32_t> open;
  uint32_t numVisited = 0;
};

/// Drops updates until the commands have an order.
class UpdateChooser {
public:
  UpdateChooser(const Edges &incoming, std::span<const Update> updates);

  std::vector<bool> run();

private:
  void finish(const Edge &edge);
  void notePending(uint32_t command);
  void drop(uint32_t command);

  const Components components;
  Edges outgoing;
  std::vector<bool> isInPlace;
  /// The number of droppable edges of each update from readers that have not
  /// run.
  std::vector<uint32_t> waitsFor;
  /// The updates of each command that have droppable edges.
  std::vector<std::vector<uint32_t>> updatesOf;
  /// The number of each command's incoming edges from commands that have not
  /// run: edges that cannot be dropped, and droppable edges.
  std::vector<uint32_t> fixed, droppable;
  std::vector<uint32_t> ready;
  /// Commands that could run if some of their updates were dropped.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> stuck;
};

} // namespace

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

void Components::enter(uint32_t command) {
  order[command] = lowest[command] = numVisited++;
  path.push_back({command});
  open.push_back(command);
}

void Components::close(uint32_t command) {
  if (lowest[command] == order[command])
    while (component[command] == none) {
      component[open.back()] = command;
      open.pop_back();
    }
  path.pop_back();
  if (!path.empty()) {
    uint32_t &above = lowest[path.back().command];
    above = std::min(above, lowest[command]);
  }
}

void Components::visit(uint32_t root) {
  enter(root);
  while (!path.empty()) {
    Frame &frame = path.back();
    if (frame.next == incoming[frame.command].size()) {
      close(frame.command);
      continue;
    }
    uint32_t from = incoming[frame.command][frame.next++].from;
    if (order[from] == none)
      enter(from);
    else if (component[from] == none)
      lowest[frame.command] = std::min(lowest[frame.command], order[from]);
  }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// An edge is droppable if it belongs to an update and may be part of a cycle.
UpdateChooser::UpdateChooser(const Edges &incoming,
                             std::span<const Update> updates)
    : components(incoming), outgoing(incoming.size()),
      isInPlace(updates.size(), true), waitsFor(updates.size()),
      updatesOf(incoming.size()), fixed(incoming.size()),
      droppable(incoming.size()) {
  for (uint32_t command = 0; command < incoming.size(); ++command) {
    for (const Edge &edge : incoming[command]) {
      outgoing[edge.from].push_back(edge);
      if (edge.update == none || !components.areTogether(edge)) {
        ++fixed[command];
        continue;
      }
      ++droppable[command];
      if (waitsFor[edge.update]++ == 0)
        updatesOf[command].push_back(edge.update);
    }
    notePending(command);
  }
}

void UpdateChooser::notePending(uint32_t command) {
  if (fixed[command] != 0)
    return;
  if (droppable[command] == 0)
    ready.push_back(command);
  else
    stuck.push(command);
}

void UpdateChooser::finish(const Edge &edge) {
  if (edge.update == none || !components.areTogether(edge)) {
    if (--fixed[edge.to] == 0)
      notePending(edge.to);
    return;
  }
  if (!isInPlace[edge.update])
    return;
  --waitsFor[edge.update];
  if (--droppable[edge.to] == 0 && fixed[edge.to] == 0)
    ready.push_back(edge.to);
}

void UpdateChooser::drop(uint32_t command) {
  for (uint32_t update : updatesOf[command])
    if (waitsFor[update] != 0)
      isInPlace[update] = false;
  droppable[command] = 0;
  ready.push_back(command);
}

std::vector<bool> UpdateChooser::run() {
  while (true) {
    while (!ready.empty()) {
      uint32_t command = ready.back();
      ready.pop_back();
      for (const Edge &edge : outgoing[command])
        finish(edge);
    }
    if (stuck.empty())
      return isInPlace;
    uint32_t command = stuck.top();
    stuck.pop();
    if (droppable[command] != 0)
      drop(command);
  }
}

std::vector<bool> weir::analysis::chooseUpdatesInPlace(
    std::span<const std::vector<uint32_t>> dependencies,
    std::span<const Update> updates) {
  Edges incoming(dependencies.size());
  for (uint32_t command = 0; command < dependencies.size(); ++command)
    for (uint32_t from : dependencies[command])
      incoming[command].push_back({from, command, none});
  for (uint32_t number = 0; number < updates.size(); ++number)
    for (uint32_t reader : updates[number].readers)
      incoming[updates[number].command].push_back(
          {reader, updates[number].command, number});
  return UpdateChooser(incoming, updates).run();
}
