//===- DumpTest.cpp - Artifacts in text and JSON -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Dump.h"

#include "SmallModel.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::artifact;

// The text names ports, memory, parameters, kernels with their attributes and
// the views of each command.
TEST(DumpTest, textShowsThePlan) {
  auto artifact = Artifact::fromBytes(SmallModel().serialized());
  ASSERT_TRUE(artifact.isOk());
  std::string text = dumpText(*artifact);
  for (const char *part :
       {"0 w: 3x4xf32, 48 bytes at ",
        "device cpu:1: its share of the cores, "
        "own memory",
        "variant 0: 2 runs in flight",
        "variable b on cpu:1",
        "result 0 may overwrite operand 0",
        "input x: 2x3xf32",
        "output y: 2x4xf32 in the memory of cpu:1",
        "arena 2 on cpu:0 queue compute: 64 bytes",
        "arena 0 on cpu:0: 128 bytes, lower bound 32",
        "kernel 0 matmul: (2x3xf32, 3x4xf32) -> (2x4xf32)",
        "\n    56 flops\n",
        "\"axes\" = [0, 1]",
        "\"scale\" = 0.5\n",
        "then eltwise_relu alpha 0 beta 0",
        "program on cpu:1 queue copy_in: 6 commands",
        "\n      2 repeat product: 4 trips of 1 command\n",
        "\n        3 fill product: arena 2+0 step [8], 8 bytes\n",
        "record product: event 0\n",
        "record product to cpu:1: event 1 value 1 step [2]",
        "0 launch product: kernel 0 matmul (input x, parameter w) -> "
        "(arena 0+64)",
        "copy product to cpu:1: arena 0+64 -> arena 1+0, 32 bytes, crossing, "
        "lasts 5000 ns over link 1\n",
        "wait product to cpu:1: event 0\n",
        "wait sum: event 1 value 3",
        "tensor product: 2x4xf32 at arena 0+64 behind product\n",
        "tensor product to cpu:1: inside of sum\n",
        "tensor product to cpu:1: not computed by a run\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

// The JSON is one object from which the plan can be read back.
TEST(DumpTest, jsonShowsThePlan) {
  auto artifact = Artifact::fromBytes(SmallModel().serialized());
  ASSERT_TRUE(artifact.isOk());
  auto root = nlohmann::json::parse(dumpJson(*artifact));
  EXPECT_EQ(root["blobs"][0]["tensor"]["dims"], (std::vector<int>{3, 4}));
  auto &variant = root["variants"][0];
  EXPECT_EQ(variant["frames"], 2);
  EXPECT_EQ(variant["kernels"][0]["flops"], 56);
  EXPECT_EQ(variant["kernels"][1]["flops"], 0);
  EXPECT_EQ(variant["kernels"][1]["attributes"]["scale"][0], 0.5);
  EXPECT_EQ(variant["kernels"][1]["overwrites"][0], 0);
  EXPECT_EQ(variant["variables"][0]["blob"], 1);
  auto &entry = variant["entries"][0];
  EXPECT_EQ(entry["name"], "main");
  EXPECT_EQ(entry["arenas"][0]["lower_bound"], 32);
  EXPECT_EQ(entry["programs"][1]["commands"][1]["crossing"], true);
  EXPECT_EQ(entry["programs"][1]["commands"][4]["value"], -1);
  EXPECT_EQ(entry["programs"][1]["commands"][4]["strides"], 3);
  EXPECT_EQ(entry["programs"][1]["predictions"][1]["nanoseconds"], 5000);
  EXPECT_EQ(entry["programs"][1]["predictions"][1]["link"], 1);
  EXPECT_TRUE(entry["programs"][0]["predictions"].empty());
  EXPECT_EQ(entry["strides"][3], 2);
  EXPECT_EQ(entry["events"][1], 4);
  EXPECT_EQ(entry["views"][8]["strides"], 1);
  EXPECT_EQ(entry["arenas"][2]["per_frame"], false);
  EXPECT_EQ(entry["arenas"][2]["queue"], "compute");
  EXPECT_TRUE(entry["arenas"][0]["queue"].is_null());
  EXPECT_EQ(entry["programs"][1]["queue"], "copy_in");
  EXPECT_EQ(entry["outputs"][0]["space"], 2);
  EXPECT_EQ(entry["buffers"][4]["kind"], "Variable");
  EXPECT_EQ(entry["tensors"][1]["name"], "sum");
  EXPECT_EQ(entry["tensors"][1]["view"], 7);
}

// A bucket is shown with its parameters.
TEST(DumpTest, bucketsShowTheirParts) {
  SmallModel small;
  small.makeBucket();
  auto artifact = Artifact::fromBytes(small.serialized());
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  const std::string text = dumpText(*artifact);
  for (const char *part :
       {"variable all on cpu:1: 48 bytes\n    from byte 16: b\n    from byte "
        "32: c\n",
        "(arena 1+0, variable all[16..])"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  auto root = nlohmann::json::parse(dumpJson(*artifact));
  auto &variable = root["variants"][0]["variables"][0];
  EXPECT_EQ(variable["name"], "all");
  EXPECT_EQ(variable["bytes"], 48);
  EXPECT_EQ(variable["parts"][1]["blob"], 2);
  EXPECT_EQ(variable["parts"][1]["offset"], 32);
}

// Names cannot send control characters to a terminal, nor break the JSON.
TEST(DumpTest, namesAreMadeHarmless) {
  SmallModel small;
  small.entry().names[0] = "\x1b[2J\xff";
  auto artifact = Artifact::fromBytes(small.serialized());
  ASSERT_TRUE(artifact.isOk());
  EXPECT_EQ(dumpText(*artifact).find('\x1b'), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(dumpJson(*artifact)));
}
