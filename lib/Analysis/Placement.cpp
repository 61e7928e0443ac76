//===- Placement.cpp - Which device runs which group, and why -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Placement.h"

#include "weir/Support/Random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <set>

using namespace weir;
using namespace weir::analysis;

uint32_t PlacementProblem::throughRelayouts(uint32_t value) const {
  while (true) {
    const uint32_t producer = values[value].producer;
    if (producer == PlacementValue::noGroup || !groups[producer].isRelayout)
      return value;
    value = groups[producer].reads.front();
  }
}

namespace {

class Placer {
public:
  Placer(const PlacementProblem &problem, const PlacementOptions &options)
      : problem(problem), devices(problem.devices), groups(problem.groups),
        options(options),
        hasComputing(std::any_of(devices.begin(), devices.end(),
                                 [](const PlacementDevice &device) {
                                   return device.name.kind->computes;
                                 })),
        random(options.seed), firstConsumer(groups.size()) {}

  std::vector<PlacementDecision> run();

private:
  /// Whether the rules may choose the device. They choose a null device only if
  /// all devices are null devices.
  bool computes(uint32_t device) const {
    return devices[device].name.kind->computes || !hasComputing;
  }
  std::optional<uint32_t> find(DeviceName name) const;
  std::optional<uint32_t> holderOf(const PlacementValue &value) const;
  std::optional<PlacementWish> followedOperand(uint32_t group) const;
  PlacementWish wishOn(uint32_t device, PlacementReason reason) const {
    return {devices[device].name, device, reason};
  }
  PlacementWish preferred(uint32_t group) const;
  std::optional<uint32_t> bestLegal(uint32_t group, DeviceKind kind) const;
  void findConsumers();
  void placeAtRandom(uint32_t group);
  void place(uint32_t group);

  const PlacementProblem &problem;
  const std::vector<PlacementDevice> &devices;
  const std::vector<PlacementGroup> &groups;
  const PlacementOptions &options;
  bool hasComputing;
  SplitMix64 random;
  /// For each group, the first annotated group that reads it and can run on its
  /// annotated device.
  std::vector<std::optional<uint32_t>> firstConsumer;
  std::vector<PlacementDecision> decisions;
};

} // namespace

std::optional<uint32_t> Placer::find(DeviceName name) const {
  auto it = std::ranges::find(devices, name, &PlacementDevice::name);
  if (it == devices.end())
    return std::nullopt;
  return static_cast<uint32_t>(it - devices.begin());
}

/// The device that holds `value`; nothing if no group may follow an operand to
/// that device.
std::optional<uint32_t> Placer::holderOf(const PlacementValue &value) const {
  std::optional<uint32_t> holder = value.holder;
  if (value.producer != PlacementValue::noGroup)
    holder = decisions[value.producer].device;
  return holder && computes(*holder) ? holder : std::nullopt;
}

/// The wish to be on the device that holds the most bytes of the operands of
/// `group`. Its `group` is the first one whose result is among these bytes.
std::optional<PlacementWish> Placer::followedOperand(uint32_t group) const {
  std::vector<PlacementWish> byDevice;
  std::set<uint32_t> seen;
  for (const uint32_t read : groups[group].reads) {
    const uint32_t number = problem.throughRelayouts(read);
    const PlacementValue &value = problem.values[number];
    const std::optional<uint32_t> device = holderOf(value);
    if (!device || !seen.insert(number).second)
      continue;
    auto it = std::ranges::find(byDevice, device, &PlacementWish::device);
    if (it == byDevice.end())
      it =
          byDevice.insert(it, wishOn(*device, PlacementReason::FollowsOperand));
    it->bytes += value.bytes;
    if (it->group == PlacementValue::noGroup)
      it->group = value.producer;
  }
  // On a tie the device of the earliest operand wins.
  auto best = std::ranges::max_element(byDevice, {}, &PlacementWish::bytes);
  return best == byDevice.end() ? std::nullopt : std::optional(*best);
}

PlacementWish Placer::preferred(uint32_t group) const {
  if (const auto &annotation = groups[group].annotation)
    return {*annotation, find(*annotation), PlacementReason::Annotated};
  if (std::optional<PlacementWish> followed = followedOperand(group))
    return *followed;
  if (std::optional<uint32_t> consumer = firstConsumer[group]) {
    DeviceName name = *groups[*consumer].annotation;
    return {name, find(name), PlacementReason::FollowsConsumer, *consumer};
  }
  if (std::optional<uint32_t> holder = groups[group].outputHolder;
      holder && computes(*holder))
    return wishOn(*holder, PlacementReason::FollowsOutput);
  uint32_t first = 0;
  while (!computes(first))
    ++first;
  return wishOn(first, PlacementReason::Default);
}

std::optional<uint32_t> Placer::bestLegal(uint32_t group,
                                          DeviceKind kind) const {
  if (std::optional<PlacementWish> followed = followedOperand(group))
    if (problem.isLegal(group, *followed->device))
      return followed->device;
  for (bool isSameKind : {true, false})
    for (uint32_t i = 0; i < devices.size(); ++i)
      if (problem.isLegal(group, i) &&
          (isSameKind ? devices[i].name.kind == kind : computes(i)))
        return i;
  return std::nullopt;
}

void Placer::findConsumers() {
  for (uint32_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].annotation)
      continue;
    std::optional<uint32_t> device = find(*groups[i].annotation);
    if (!device || !problem.isLegal(i, *device) || !computes(*device))
      continue;
    for (const uint32_t read : groups[i].reads) {
      const uint32_t producer =
          problem.values[problem.throughRelayouts(read)].producer;
      if (producer != PlacementValue::noGroup && !firstConsumer[producer])
        firstConsumer[producer] = i;
    }
  }
}

void Placer::placeAtRandom(uint32_t group) {
  std::vector<uint32_t> legal;
  for (uint32_t i = 0; i < devices.size(); ++i)
    if (problem.isLegal(group, i))
      legal.push_back(i);
  // One number is drawn for every group, so that one group's choice does not
  // affect the choices of other groups.
  uint64_t drawn = random.next();
  PlacementDecision &decision = decisions[group];
  if (legal.empty()) {
    decision.outcome = PlacementOutcome::Nowhere;
    return;
  }
  decision.device = legal[drawn % legal.size()];
  decision.wish = wishOn(decision.device, PlacementReason::Random);
}

void Placer::place(uint32_t group) {
  if (options.mode == PlacementMode::Random && !groups[group].annotation)
    return placeAtRandom(group);
  const PlacementWish wish = preferred(group);
  if (wish.device && problem.isLegal(group, *wish.device))
    decisions[group] = {PlacementOutcome::Placed, *wish.device, wish};
  else if (auto chosen = bestLegal(group, wish.name.kind))
    decisions[group] = {PlacementOutcome::Moved, *chosen, wish};
  else
    decisions[group] = {PlacementOutcome::Nowhere, 0, wish};
}

std::vector<PlacementDecision> Placer::run() {
  decisions.resize(groups.size());
  findConsumers();
  for (uint32_t i = 0; i < groups.size(); ++i)
    if (!groups[i].isRelayout)
      place(i);
  return std::move(decisions);
}

std::vector<PlacementDecision>
weir::analysis::placeGroups(const PlacementProblem &problem,
                            const PlacementOptions &options) {
  assert(!problem.devices.empty() && "placement needs a device");
  return Placer(problem, options).run();
}

StatusOr<PlacementOptions>
weir::analysis::parsePlacementMode(std::string_view text) {
  constexpr std::string_view prefix = "random:";
  PlacementOptions options;
  if (text == "explicit")
    return options;
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), options.seed);
    if (error == std::errc() && end == text.data() + text.size()) {
      options.mode = PlacementMode::Random;
      return options;
    }
    return invalidArgument(fmt::format(
        "the seed '{}' is not a number from 0 to 2^64 - 1; write random:1",
        text));
  }
  return invalidArgument(fmt::format(
      "unknown placement '{}'; expected explicit or random:SEED", text));
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string_view
PlacementTexts::reasonOf(const PlacementDecision &decision) const {
  if (decision.outcome != PlacementOutcome::Placed)
    return "moved";
  switch (decision.wish.reason) {
  case PlacementReason::Annotated:
    return "annotated";
  case PlacementReason::FollowsOperand:
    return "follows operand";
  case PlacementReason::FollowsConsumer:
  case PlacementReason::FollowsOutput:
    return "follows consumer";
  case PlacementReason::Default:
    return "default";
  case PlacementReason::Random:
    return "random";
  }
  return "";
}

std::string PlacementTexts::describe(const PlacementWish &wish) const {
  const std::string device = wish.name.toString();
  switch (wish.reason) {
  case PlacementReason::Annotated:
    return fmt::format("annotated {}", device);
  case PlacementReason::FollowsOperand:
    if (wish.group == PlacementValue::noGroup)
      return fmt::format("follows an input ({} bytes in the memory of {})",
                         wish.bytes, device);
    return fmt::format("follows operand {} ({} bytes from {})",
                       nameOf(wish.group), wish.bytes, device);
  case PlacementReason::FollowsConsumer:
    return fmt::format("follows its consumer {}", nameOf(wish.group));
  case PlacementReason::FollowsOutput:
    return fmt::format("follows an output (in the memory of {})", device);
  case PlacementReason::Default:
    return *wish.device ? "the first device that computes" : "the first device";
  case PlacementReason::Random:
    return fmt::format("drawn with seed {}", options.seed);
  }
  return "";
}

std::string PlacementTexts::whyNot(uint32_t group,
                                   const PlacementWish &wish) const {
  if (wish.device)
    return fmt::format("{} cannot run it ({})", wish.name.toString(),
                       problem.optionOf(group, *wish.device).illegalReason);
  std::vector<DeviceName> names;
  for (const PlacementDevice &device : problem.devices)
    names.push_back(device.name);
  return fmt::format("{} is not among the devices ({})", wish.name.toString(),
                     toString(names));
}

std::string PlacementTexts::legalNames(uint32_t group) const {
  std::vector<DeviceName> names;
  for (uint32_t i = 0; i < problem.devices.size(); ++i)
    if (problem.isLegal(group, i))
      names.push_back(problem.devices[i].name);
  return toString(names);
}

std::string PlacementTexts::describe(uint32_t group,
                                     const PlacementDecision &decision) const {
  const std::string wished = describe(decision.wish);
  return decision.outcome == PlacementOutcome::Placed
             ? wished
             : fmt::format("moved from {}: {}", wished,
                           whyNot(group, decision.wish));
}

bool PlacementTexts::isError(const PlacementDecision &decision) const {
  return decision.outcome == PlacementOutcome::Nowhere ||
         (decision.outcome == PlacementOutcome::Moved && options.strict);
}

std::string
PlacementTexts::describeIssue(uint32_t group,
                              const PlacementDecision &decision) const {
  if (decision.outcome == PlacementOutcome::Nowhere)
    return describeNowhere(group);
  const PlacementWish &wish = decision.wish;
  std::string text =
      fmt::format("{}: {}; ", nameOf(group), whyNot(group, wish));
  if (!isError(decision))
    return text + fmt::format("moved to {}",
                              problem.devices[decision.device].name.toString());
  if (!wish.device)
    text += fmt::format("add {} to --devices or ", wish.name.toString());
  return text + fmt::format("place it on one of {}", legalNames(group));
}

std::string PlacementTexts::describeNowhere(uint32_t group) const {
  std::string reasons;
  for (uint32_t i = 0; i < problem.devices.size(); ++i)
    reasons += fmt::format("{}{}: {}", i ? "; " : "",
                           problem.devices[i].name.toString(),
                           problem.optionOf(group, i).illegalReason);
  return fmt::format("{}: no device can run it ({}); add a device that can{}",
                     nameOf(group), reasons,
                     problem.works[problem.groups[group].work].needsReference
                         ? ", or take the slow reference kernels with "
                           "--allow-reference"
                         : "");
}
