//===- Remarks.cpp - Remarks of a device for the user --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

using namespace weir;

void Remarks::addFirst(const std::string &remark) {
  const std::lock_guard lock(mutex);
  if (text.empty())
    text = remark;
}

std::string Remarks::get() const {
  const std::lock_guard lock(mutex);
  return text;
}
