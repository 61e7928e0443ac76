//===- Placement.cpp - Which device runs which group, and why -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Placement.h"

#include "weir/Support/Random.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

using namespace weir;
using namespace weir::analysis;

namespace {

/// The device that the rules choose for a group, before it is checked that the
/// device can run the group.
struct Preference {
  DeviceName name;
  /// The index of the device in the list; absent if it is not listed.
  std::optional<uint32_t> device;
  PlacementReason reason = PlacementReason::Default;
  std::string text;
};

/// The device that a group can follow.
struct Followed {
  /// The device that holds the most bytes of the group's operands.
  uint32_t device;
  /// The first group whose result is among these bytes; `noGroup` if all of
  /// them are inputs.
  uint32_t producer;
  uint64_t bytes;
};

class Placer {
public:
  Placer(std::span<const PlacementGroup> groups,
         std::span<const PlacementDevice> devices,
         const PlacementOptions &options)
      : groups(groups), devices(devices), options(options),
        hasComputing(std::any_of(devices.begin(), devices.end(),
                                 [](const PlacementDevice &device) {
                                   return device.name.kind->computes;
                                 })),
        random(options.seed), firstConsumer(groups.size()) {}

  PlacementResult run();

private:
  const DeviceOption &optionOf(size_t group, size_t device) const {
    return groups[group].options[devices[device].option];
  }
  bool isLegal(size_t group, size_t device) const {
    return optionOf(group, device).illegalReason.empty();
  }
  /// Whether the rules may choose the device. They choose a null device only if
  /// all devices are null devices.
  bool computes(uint32_t device) const {
    return devices[device].name.kind->computes || !hasComputing;
  }
  std::optional<uint32_t> find(DeviceName name) const;
  std::optional<uint32_t> holderOf(const PlacementOperand &operand) const;
  std::optional<Followed> followedOperand(size_t group) const;
  std::string describe(const Followed &followed) const;
  Preference preferred(size_t group) const;
  std::optional<uint32_t> bestLegal(size_t group, DeviceKind kind) const;
  void findConsumers();
  void placeAtRandom(size_t group);
  void place(size_t group);
  void move(size_t group, const Preference &wanted);
  void reportNowhere(size_t group, std::optional<DeviceName> wanted);
  std::string whyNot(size_t group, const Preference &wanted) const;
  std::string legalNames(size_t group) const;

  std::span<const PlacementGroup> groups;
  std::span<const PlacementDevice> devices;
  const PlacementOptions &options;
  bool hasComputing;
  SplitMix64 random;
  /// For each group, the first annotated group that reads it and can run on its
  /// annotated device.
  std::vector<std::optional<uint32_t>> firstConsumer;
  PlacementResult result;
};

} // namespace

std::optional<uint32_t> Placer::find(DeviceName name) const {
  auto it = std::find_if(
      devices.begin(), devices.end(),
      [&](const PlacementDevice &device) { return device.name == name; });
  if (it == devices.end())
    return std::nullopt;
  return static_cast<uint32_t>(it - devices.begin());
}

/// The device that holds `operand`; nothing if no group may follow an operand
/// to that device.
std::optional<uint32_t>
Placer::holderOf(const PlacementOperand &operand) const {
  std::optional<uint32_t> holder = operand.holder;
  if (operand.producer != PlacementOperand::noGroup)
    holder = result.decisions[operand.producer].device;
  return holder && computes(*holder) ? holder : std::nullopt;
}

std::optional<Followed> Placer::followedOperand(size_t group) const {
  std::vector<Followed> byDevice;
  std::set<uint32_t> seen;
  for (const PlacementOperand &operand : groups[group].operands) {
    const std::optional<uint32_t> device = holderOf(operand);
    if (!device || !seen.insert(operand.value).second)
      continue;
    auto it =
        std::find_if(byDevice.begin(), byDevice.end(),
                     [&](const Followed &f) { return f.device == *device; });
    if (it == byDevice.end()) {
      byDevice.push_back({*device, operand.producer, operand.bytes});
      continue;
    }
    it->bytes += operand.bytes;
    if (it->producer == PlacementOperand::noGroup)
      it->producer = operand.producer;
  }
  // On a tie the device of the earliest operand wins.
  auto best = std::max_element(
      byDevice.begin(), byDevice.end(),
      [](const Followed &a, const Followed &b) { return a.bytes < b.bytes; });
  return best == byDevice.end() ? std::nullopt : std::optional(*best);
}

std::string Placer::describe(const Followed &followed) const {
  const std::string device = devices[followed.device].name.toString();
  if (followed.producer == PlacementOperand::noGroup)
    return fmt::format("follows an input ({} bytes in the memory of {})",
                       followed.bytes, device);
  return fmt::format("follows operand {} ({} bytes from {})",
                     groups[followed.producer].name, followed.bytes, device);
}

Preference Placer::preferred(size_t group) const {
  if (const auto &annotation = groups[group].annotation)
    return {*annotation, find(*annotation), PlacementReason::Annotated,
            fmt::format("annotated {}", annotation->toString())};
  if (std::optional<Followed> followed = followedOperand(group))
    return {devices[followed->device].name, followed->device,
            PlacementReason::FollowsOperand, describe(*followed)};
  if (std::optional<uint32_t> consumer = firstConsumer[group]) {
    DeviceName name = *groups[*consumer].annotation;
    return {name, find(name), PlacementReason::FollowsConsumer,
            fmt::format("follows its consumer {}", groups[*consumer].name)};
  }
  if (std::optional<uint32_t> holder = groups[group].outputHolder;
      holder && computes(*holder))
    return {devices[*holder].name, holder, PlacementReason::FollowsConsumer,
            fmt::format("follows an output (in the memory of {})",
                        devices[*holder].name.toString())};
  uint32_t first = 0;
  while (!computes(first))
    ++first;
  return {devices[first].name, first, PlacementReason::Default,
          first ? "the first device that computes" : "the first device"};
}

std::optional<uint32_t> Placer::bestLegal(size_t group, DeviceKind kind) const {
  if (std::optional<Followed> followed = followedOperand(group))
    if (isLegal(group, followed->device))
      return followed->device;
  for (bool isSameKind : {true, false})
    for (uint32_t i = 0; i < devices.size(); ++i)
      if (isLegal(group, i) &&
          (isSameKind ? devices[i].name.kind == kind : computes(i)))
        return i;
  return std::nullopt;
}

void Placer::findConsumers() {
  for (uint32_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].annotation)
      continue;
    std::optional<uint32_t> device = find(*groups[i].annotation);
    if (!device || !isLegal(i, *device) || !computes(*device))
      continue;
    for (const PlacementOperand &operand : groups[i].operands)
      if (operand.producer != PlacementOperand::noGroup &&
          !firstConsumer[operand.producer])
        firstConsumer[operand.producer] = i;
  }
}

std::string Placer::whyNot(size_t group, const Preference &wanted) const {
  if (wanted.device)
    return fmt::format("{} cannot run it ({})", wanted.name.toString(),
                       optionOf(group, *wanted.device).illegalReason);
  std::vector<DeviceName> names;
  for (const PlacementDevice &device : devices)
    names.push_back(device.name);
  return fmt::format("{} is not among the devices ({})", wanted.name.toString(),
                     toString(names));
}

std::string Placer::legalNames(size_t group) const {
  std::vector<DeviceName> names;
  for (size_t i = 0; i < devices.size(); ++i)
    if (isLegal(group, i))
      names.push_back(devices[i].name);
  return toString(names);
}

void Placer::reportNowhere(size_t group, std::optional<DeviceName> wanted) {
  std::string reasons;
  for (size_t i = 0; i < devices.size(); ++i)
    reasons +=
        fmt::format("{}{}: {}", i ? "; " : "", devices[i].name.toString(),
                    optionOf(group, i).illegalReason);
  result.errors.push_back(
      {static_cast<uint32_t>(group), wanted, std::nullopt,
       fmt::format("{}: no device can run it ({}); {}", groups[group].name,
                   reasons, groups[group].nowhereRepair)});
}

void Placer::move(size_t group, const Preference &wanted) {
  std::optional<uint32_t> chosen = bestLegal(group, wanted.name.kind);
  if (!chosen)
    return reportNowhere(group, wanted.name);
  std::string why = whyNot(group, wanted);
  PlacementDecision &decision = result.decisions[group];
  decision.device = *chosen;
  decision.reason = PlacementReason::Moved;
  decision.text = fmt::format("moved from {}: {}", wanted.text, why);
  std::string repair =
      wanted.device
          ? fmt::format("place it on one of {}", legalNames(group))
          : fmt::format("add {} to --devices or place it on one of {}",
                        wanted.name.toString(), legalNames(group));
  if (options.strict)
    result.errors.push_back(
        {static_cast<uint32_t>(group), wanted.name, std::nullopt,
         fmt::format("{}: {}; {}", groups[group].name, why, repair)});
  else
    result.fallbacks.push_back(
        {static_cast<uint32_t>(group), wanted.name, chosen,
         fmt::format("{}: {}; moved to {}", groups[group].name, why,
                     devices[*chosen].name.toString())});
}

void Placer::placeAtRandom(size_t group) {
  std::vector<uint32_t> legal;
  for (uint32_t i = 0; i < devices.size(); ++i)
    if (isLegal(group, i))
      legal.push_back(i);
  // One number is drawn for every group, so that one group's choice does not
  // affect the choices of other groups.
  uint64_t drawn = random.next();
  if (legal.empty())
    return reportNowhere(group, std::nullopt);
  PlacementDecision &decision = result.decisions[group];
  decision.device = legal[drawn % legal.size()];
  decision.reason = PlacementReason::Random;
  decision.text = fmt::format("drawn with seed {}", options.seed);
}

void Placer::place(size_t group) {
  PlacementDecision &decision = result.decisions[group];
  if (options.mode == PlacementMode::Random && !groups[group].annotation)
    return placeAtRandom(group);
  Preference wanted = preferred(group);
  if (!wanted.device || !isLegal(group, *wanted.device))
    return move(group, wanted);
  decision.device = *wanted.device;
  decision.reason = wanted.reason;
  decision.text = std::move(wanted.text);
}

PlacementResult Placer::run() {
  result.decisions.resize(groups.size());
  findConsumers();
  for (size_t i = 0; i < groups.size(); ++i)
    place(i);
  return std::move(result);
}

PlacementResult
weir::analysis::placeGroups(std::span<const PlacementGroup> groups,
                            std::span<const PlacementDevice> devices,
                            const PlacementOptions &options) {
  assert(!devices.empty() && "placement needs a device");
  return Placer(groups, devices, options).run();
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

std::string_view weir::analysis::toString(PlacementReason reason) {
  constexpr std::string_view names[] = {"annotated",        "follows operand",
                                        "follows consumer", "default",
                                        "random",           "moved"};
  return names[static_cast<int>(reason)];
}
