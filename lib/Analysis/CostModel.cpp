//===- CostModel.cpp - Predicts times of launches and copies --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CostModel.h"

#include <algorithm>

using namespace weir;
using namespace weir::analysis;

DeviceRates weir::analysis::ratesOf(const DeviceDesc &device) {
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

double weir::analysis::speedOf(CodeKind kind) {
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

double weir::analysis::productSpeedOf(CodeKind kind, DeviceKind device,
                                      double flopsPerSecond) {
  const double speed = speedOf(kind);
  if (kind != CodeKind::Generated || !isForGpus(device->codeGenerator))
    return speed;
  return std::min(speed, defaults::generatedGpuProducts / flopsPerSecond);
}

/// The default rates between two devices. If both are on one host, each has a
/// link to the host, and the link with the larger latency counts.
static LinkRates defaultLinkRates(DeviceName from, DeviceName to) {
  if (from.host != to.host)
    return defaults::network;
  const LinkRates &one = from.kind->link, &other = to.kind->link;
  return one.latencySeconds > other.latencySeconds ? one : other;
}

LinkRates weir::analysis::linkRates(const Topology &topology, DeviceName from,
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

double weir::analysis::predictLaunchSeconds(const DeviceRates &rates,
                                            DType type, double flops,
                                            double bytes) {
  double arithmetic = flops / rates.flopsPerSecond[static_cast<int>(type)];
  double traffic = bytes / rates.bytesPerSecond;
  return std::max(arithmetic, traffic) + rates.launchSeconds;
}

double weir::analysis::predictCopySeconds(const LinkRates &rates,
                                          double bytes) {
  return bytes / rates.bytesPerSecond + rates.latencySeconds;
}

double weir::analysis::predictCrossingSeconds(const Topology &topology,
                                              DeviceName from, DeviceName to,
                                              double bytes) {
  return bytes > 0 ? predictCopySeconds(linkRates(topology, from, to), bytes)
                   : 0;
}
