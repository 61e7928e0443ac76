//===- TimeModel.cpp - Predicts times of launches and copies --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/TimeModel.h"

#include <algorithm>
#include <utility>

using namespace weir;
using namespace weir::analysis;

/// The rates of `device`: those that it states, else the defaults of its kind.
/// A dtype without a stated rate has the stated f32 rate, if there is one.
static DeviceRates ratesOf(const DeviceDesc &device) {
  DeviceRates rates = defaultRates(device.name.kind, device.threads);
  double f32 = device.flopsPerSecond[static_cast<int>(DType::F32)];
  for (int i = 0; i < numDTypes; ++i) {
    double stated =
        device.flopsPerSecond[i] > 0 ? device.flopsPerSecond[i] : f32;
    if (stated > 0)
      rates.flopsPerSecond[i] = stated;
  }
  if (device.bytesPerSecond > 0)
    rates.bytesPerSecond = device.bytesPerSecond;
  if (device.launchSeconds > 0)
    rates.launchSeconds = device.launchSeconds;
  return rates;
}

/// The fraction of the peak rate that code of this kind reaches. Library
/// kernels almost reach the peak rate.
static double speedOf(CodeKind kind) {
  switch (kind) {
  case CodeKind::Library:
    return 1;
  case CodeKind::Generated:
    return defaults::generatedSpeed;
  case CodeKind::Reference:
    return defaults::referenceSpeed;
  }
  return 1;
}

/// The fraction of the peak rate `flopsPerSecond` that products and
/// convolutions reach on `device`.
static double contractionSpeedOf(CodeKind kind, DeviceKind device,
                                 double flopsPerSecond) {
  const double speed = speedOf(kind);
  if (kind != CodeKind::Generated || !isForGpus(device->codeGenerator))
    return speed;
  return std::min(speed, defaults::generatedGpuProducts / flopsPerSecond);
}

/// Both ends have a link to the host. The longer one counts.
static LinkRates defaultLinkRates(DeviceName from, DeviceName to) {
  if (from.host != to.host)
    return defaults::network;
  const LinkRates &one = from.kind->link, &other = to.kind->link;
  return one.latencySeconds > other.latencySeconds ? one : other;
}

/// The rates from one device to another: those of the topology's link, else
/// defaults that depend on the kinds and hosts of both.
static LinkRates linkRates(const Topology &topology, DeviceName from,
                           DeviceName to) {
  LinkRates rates = defaultLinkRates(from, to);
  const LinkDesc *link = topology.link(from, to);
  if (!link)
    return rates;
  if (link->bytesPerSecond > 0)
    rates.bytesPerSecond = link->bytesPerSecond;
  rates.latencySeconds = link->latencySeconds;
  return rates;
}

TimeModel::TimeModel(Topology described) : topology(std::move(described)) {
  for (const DeviceDesc &device : topology.devices)
    rates.push_back(ratesOf(device));
}

double TimeModel::secondsOf(const LaunchWork &work) const {
  const DeviceRates &device = rates[work.device];
  const DeviceKind kind = topology.devices[work.device].name.kind;
  const double peak = device.flopsPerSecond[static_cast<int>(work.type)];
  // The operations that a library kernel could do in the same time.
  double flops = 0;
  for (size_t i = 0; i < numCodeKinds; ++i) {
    const auto code = static_cast<CodeKind>(i);
    flops += work.flops[i].contractions / contractionSpeedOf(code, kind, peak) +
             work.flops[i].others / speedOf(code);
  }
  return std::max(flops / peak, work.bytes / device.bytesPerSecond) +
         device.launchSeconds;
}

double TimeModel::secondsOfCopy(size_t device, double bytes) const {
  return 2 * bytes / rates[device].bytesPerSecond;
}

double TimeModel::secondsOfFill(size_t device, double bytes) const {
  return bytes / rates[device].bytesPerSecond;
}

double TimeModel::secondsOfCrossing(DeviceName from, DeviceName to,
                                    double bytes) const {
  if (bytes <= 0)
    return 0;
  const LinkRates link = linkRates(topology, from, to);
  return bytes / link.bytesPerSecond + link.latencySeconds;
}
