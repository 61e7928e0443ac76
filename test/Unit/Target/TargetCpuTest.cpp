//===- TargetCpuTest.cpp - The processors that code is for ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/CPU/TargetCpu.h"

#include "Runtime/Devices/CPU/CpuFeatures.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace weir;

static bool has(const TargetCpu &cpu, const std::string &feature) {
  return std::find(cpu.features.begin(), cpu.features.end(), feature) !=
         cpu.features.end();
}

// The levels of the x86-64 psABI have what the psABI says.
TEST(TargetCpu, KnowsLevels) {
  auto third = parseTargetCpu("x86-64-v3"),
       fourth = parseTargetCpu("x86-64-v4");
  ASSERT_TRUE(third.isOk()) << third.status().message();
  ASSERT_TRUE(fourth.isOk()) << fourth.status().message();
  for (const char *feature : {"avx2", "fma", "f16c", "bmi2", "sse4.2"})
    EXPECT_TRUE(has(*third, feature)) << feature;
  for (const char *feature :
       {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) {
    EXPECT_FALSE(has(*third, feature)) << feature;
    EXPECT_TRUE(has(*fourth, feature)) << feature;
  }
  EXPECT_EQ(third->vectorBits, 256);
  EXPECT_EQ(fourth->vectorBits, 512);
}

// A name stands for the features of that processor.
TEST(TargetCpu, KnowsProcessors) {
  auto zen = parseTargetCpu("znver4");
  ASSERT_TRUE(zen.isOk()) << zen.status().message();
  EXPECT_TRUE(has(*zen, "avx512bf16"));
  EXPECT_FALSE(has(*parseTargetCpu("skylake-avx512"), "avx512bf16"));
}

// The runtime can look for every feature that this machine's code asks for.
TEST(TargetCpu, NativeRunsHere) {
  auto native = parseTargetCpu("native");
  if (!native.isOk())
    GTEST_SKIP() << native.status().message();
  for (const std::string &feature : native->features)
    EXPECT_TRUE(hasCpuFeature(feature)) << feature;
}

TEST(TargetCpu, RefusesWhatItCannotServe) {
  auto unknown = parseTargetCpu("pentium-x");
  ASSERT_FALSE(unknown.isOk());
  EXPECT_NE(unknown.status().message().find("unknown target CPU 'pentium-x'"),
            std::string_view::npos);
  auto old = parseTargetCpu("x86-64-v2");
  ASSERT_FALSE(old.isOk());
  EXPECT_NE(old.status().message().find("lacks avx2"), std::string_view::npos);
}
