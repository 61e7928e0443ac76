//===- DeviceConformanceTest.cpp - The suite on the kinds of this build ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Testing/DeviceConformance.h"

#include <cstdlib>

using namespace weir::test;

/// Where the kind "demo" comes from, in all tests of this program.
[[maybe_unused]] static const int plugins =
    setenv("WEIR_PLUGIN_PATH", WEIR_EXAMPLE_PLUGINS, 1);

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceConformance,
                         testing::Values("cpu", "demo", "null", "sim"),
                         [](const auto &info) { return info.param; });
