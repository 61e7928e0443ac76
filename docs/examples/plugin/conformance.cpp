//===- conformance.cpp - Weir's device tests on demo devices --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Testing/DeviceConformance.h"

using namespace weir::test;

INSTANTIATE_TEST_SUITE_P(Demo, DeviceConformance, testing::Values("demo"));
