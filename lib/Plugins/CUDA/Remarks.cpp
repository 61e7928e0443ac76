//===- Remarks.cpp - Remarks of a device for the user --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include <algorithm>
#include <utility>

using namespace weir;

void Remarks::addFirst(DeviceNote remark) {
  const std::lock_guard lock(mutex);
  if (std::ranges::find(all, remark.code, &DeviceNote::code) == all.end())
    all.push_back(std::move(remark));
}

std::vector<DeviceNote> Remarks::get() const {
  const std::lock_guard lock(mutex);
  return all;
}
