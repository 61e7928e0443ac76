//===- PluginFolders.cpp - Where the tests find plug-ins ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TestPaths.h"

#include <cstdlib>
#include <gtest/gtest.h>

/// In all tests of this program, the kind "demo" comes from the example.
class PluginFolders final : public testing::Environment {
  void SetUp() override {
    setenv("WEIR_PLUGIN_PATH", weir::paths::examplePlugins, 1);
  }
};

[[maybe_unused]] static const testing::Environment *const folders =
    testing::AddGlobalTestEnvironment(new PluginFolders);
