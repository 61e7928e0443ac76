//===- DeviceTable.cpp - A table of what each device did --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceTable.h"

#include <algorithm>
#include <cstdio>

using namespace weir;

std::string withCommas(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

void DeviceTable::addRun(const SessionStats &stats) {
  ++runs;
  devices = stats.devices;
  busySeconds.resize(devices.size());
  for (size_t i = 0; i < devices.size(); ++i)
    busySeconds[i] += static_cast<double>(devices[i].busyNs) * 1e-9;
}

void DeviceTable::print() const {
  std::printf("device  groups  launches  planned bytes  lower bound  crossings "
              " bytes crossed       time\n");
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceStats &device = devices[i];
    std::printf("%-6s  %6s  %8s  %13s  %11s  %9s  %13s  %6.3f ms\n",
                device.info.name.c_str(), withCommas(device.groups).c_str(),
                withCommas(device.launches).c_str(),
                withCommas(device.plannedBytes).c_str(),
                withCommas(device.lowerBoundBytes).c_str(),
                withCommas(device.crossings).c_str(),
                withCommas(device.bytesCrossed).c_str(),
                busySeconds[i] * 1e3 / static_cast<double>(runs));
  }
}

bool DeviceTable::isShared() const {
  return std::ranges::any_of(devices, [](const DeviceStats &device) {
    return device.crossings > 0 && device.bytesCrossed == 0;
  });
}
