//===- OpenMPUser.cpp - A library that uses OpenMP ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/OpenMP/Team.h"

#include <atomic>

/// The threads of a region of two.
extern "C" int weirTestRegion() {
  std::atomic<int> size = 0;
  weir::onEachThread(2, [&](int) { ++size; });
  return size;
}
