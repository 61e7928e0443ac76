//===- TopologyTest.cpp - Devices and links in files -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Topology.h"

#include <gtest/gtest.h>

#include <random>

using namespace weir;

constexpr std::string_view sample = R"({
  "devices": [
    {"name": "cpu:0", "threads": 4, "memory_bytes": 68719476736,
     "flops": {"f32": 5e11, "bf16": 2e12}, "bytes_per_second": 4e10,
     "launch_seconds": 1e-6, "excluded_kernels": ["matmul"]},
    {"name": "null:0", "kind": "null", "kernels": ["conv", "pool"]}
  ],
  "links": [
    {"between": ["cpu:0", "null:0"], "bytes_per_second": 1.2e10,
     "latency_seconds": 5e-6, "shared": "bus"}
  ]
})";

// Every field of the schema arrives; what is not stated is zero; a link
// carries both directions.
TEST(TopologyTest, readsEveryField) {
  StatusOr<Topology> topology = parseTopology(sample, "t.json");
  ASSERT_TRUE(topology.isOk()) << topology.status().message();
  ASSERT_EQ(topology->devices.size(), 2u);
  const DeviceDesc &cpu = topology->devices[0], &gpu = topology->devices[1];
  EXPECT_EQ(cpu.name.toString(), "cpu:0");
  EXPECT_EQ(cpu.threads, 4u);
  EXPECT_EQ(cpu.memoryBytes, 68719476736u);
  EXPECT_EQ(cpu.flopsPerSecond[static_cast<int>(DType::BF16)], 2e12);
  EXPECT_EQ(cpu.flopsPerSecond[static_cast<int>(DType::F16)], 0);
  EXPECT_EQ(cpu.bytesPerSecond, 4e10);
  EXPECT_EQ(cpu.launchSeconds, 1e-6);
  EXPECT_FALSE(cpu.allowsKernel("matmul"));
  EXPECT_TRUE(cpu.allowsKernel("conv"));
  EXPECT_TRUE(gpu.allowsKernel("conv"));
  EXPECT_FALSE(gpu.allowsKernel("matmul"));
  EXPECT_EQ(gpu.threads, 0u);
  for (bool isBack : {false, true}) {
    const LinkDesc *link = isBack ? topology->link(gpu.name, cpu.name)
                                  : topology->link(cpu.name, gpu.name);
    ASSERT_TRUE(link);
    EXPECT_EQ(link->bytesPerSecond, 1.2e10);
    EXPECT_EQ(link->latencySeconds, 5e-6);
    EXPECT_EQ(link->shared, "bus");
  }
  EXPECT_FALSE(topology->link(cpu.name, cpu.name));
}

// Every pair of many devices may have a link. Reading them takes time in
// proportion to their number.
TEST(TopologyTest, readsManyLinks) {
  constexpr int numDevices = 500;
  std::string devices, links;
  for (int i = 0; i < numDevices; ++i) {
    devices += (i ? ",{\"name\":\"cpu:" : "{\"name\":\"cpu:") +
               std::to_string(i) + "\"}";
    for (int other = 0; other < i; ++other)
      links += (links.empty() ? "" : ",") +
               std::string("{\"between\":[\"cpu:") + std::to_string(i) +
               "\",\"cpu:" + std::to_string(other) +
               "\"],\"bytes_per_second\":" + std::to_string(i + other) + "}";
  }
  const StatusOr<Topology> topology = parseTopology(
      "{\"devices\":[" + devices + "],\"links\":[" + links + "]}", "t.json");
  ASSERT_TRUE(topology.isOk()) << topology.status().message();
  EXPECT_EQ(topology->links.size(), size_t{numDevices} * (numDevices - 1));
  const DeviceName first{0, DeviceKind::CPU, 3}, last{0, DeviceKind::CPU, 499};
  for (const LinkDesc *link :
       {topology->link(first, last), topology->link(last, first)}) {
    ASSERT_TRUE(link);
    EXPECT_EQ(link->bytesPerSecond, 502);
  }
}

// Options are texts; numbers stand for their text.
TEST(TopologyTest, readsOptions) {
  const StatusOr<Topology> topology = parseTopology(
      R"({"devices": [{"name": "cpu:0", "options": {"cores": "0-3,8"}},
                      {"name": "cpu:1", "options": {"numa_node": 1}}]})",
      "t.json");
  ASSERT_TRUE(topology.isOk()) << topology.status().message();
  using Options = std::map<std::string, std::string>;
  EXPECT_EQ(topology->devices[0].options, (Options{{"cores", "0-3,8"}}));
  EXPECT_EQ(topology->devices[1].options, (Options{{"numa_node", "1"}}));
}

/// Topologies with an error, its JSON path, and what was expected.
static constexpr struct {
  std::string_view json, path, what;
} wrongTopologies[] = {
    {"", "t.json: line 1", "malformed JSON"},
    {"{\n\"devices\": [,]}", "t.json: line 2", "malformed JSON"},
    {"{\n\"devices\": \"x\n", "t.json: line 2", "malformed JSON"},
    {std::string_view("{}\n\0", 4), "t.json: line 2:", "a byte of 0"},
    {"[]", "top level", R"(an object such as {"devices": ...}, found)"},
    {"{}", "top level", "the key \"devices\""},
    {R"({"devices": []})", "devices:", "a list of 1 to 1024 devices"},
    {R"({"devices": [3]})",
     "devices[0]:", R"(an object such as {"name": ...}, found 3)"},
    {R"({"devices": [{}]})", "devices[0]:", "the key \"name\""},
    {R"({"devices": [{"name": 3}]})", "devices[0].name:", "a text"},
    {R"({"devices": [{"name": "tpu:0"}]})",
     "devices[0].name:", "unknown device kind 'tpu'"},
    {R"({"devices": [{"name": "cpu"}]})", "devices[0].name:", "malformed"},
    {R"({"devices": [{"name": "cpu:0"}, {"name": "/CPU:0"}]})",
     "devices[1].name:", "not listed before"},
    {R"({"devices": [{"name": "cpu:0", "kind": "null"}]})",
     "devices[0].kind:", "\"cpu\", found \"null\""},
    {R"({"devices": [{"name": "cpu:0", "thread": 2}]})",
     "devices[0]: there is no key 'thread'; did you mean 'threads'?",
     "'excluded_kernels', 'isolated', 'options'"},
    {R"({"devices": [{"name": "cpu:0", "options": ["cores"]}]})",
     "devices[0].options:", "an object of options by name"},
    {R"({"devices": [{"name": "cpu:0", "options": {"cores": [1]}}]})",
     "devices[0].options.cores:", "a text or a number, found [1]"},
    {R"({"devices": [{"name": "cpu:0", "options": {"cores": "0-"}}]})",
     "devices[0].options.cores:", "a list of processors such as 0-3,8"},
    {R"({"devices": [{"name": "cpu:0", "options": {"numa_node": "0,1"}}]})",
     "devices[0].options.numa_node:", "the number of a NUMA node"},
    {R"({"devices": [{"name": "cpu:0", "options": {"core": "0"}}]})",
     "devices[0].options.core:", "the options of cpu devices are cores,"},
    {R"({"devices": [{"name": "null:0", "options": {"cores": "0"}}]})",
     "devices[0].options.cores:", "null devices have no options"},
    {R"({"devices": [{"name": "cpu:0", "threads": 0}]})",
     "devices[0].threads:", "a whole number from 1 to 1024, found 0"},
    {R"({"devices": [{"name": "cpu:0", "threads": 1.5}]})",
     "devices[0].threads:", "whole number"},
    {R"({"devices": [{"name": "cpu:0", "memory_bytes": -1}]})",
     "devices[0].memory_bytes:", "whole number"},
    {R"({"devices": [{"name": "cpu:0", "flops": {"f32": 0}}]})",
     "devices[0].flops.f32:", "a number from 1 to 1e+30, found 0"},
    {R"({"devices": [{"name": "cpu:0", "flops": {"f8": 1}}]})",
     "devices[0].flops.f8:", "u64, i1), found the key \"f8\""},
    {R"({"devices": [{"name": "cpu:0", "flops": 1}]})",
     "devices[0].flops:", "an object of rates"},
    {R"({"devices": [{"name": "cpu:0", "launch_seconds": "1"}]})",
     "devices[0].launch_seconds:", "a number from 0 to 1e+06, found \"1\""},
    {R"({"devices": [{"name": "cpu:0", "launch_seconds": 1e300}]})",
     "devices[0].launch_seconds:", "a number from 0 to 1e+06, found 1e+300"},
    {R"({"devices": [{"name": "cpu:0", "bytes_per_second": 1e-308}]})",
     "devices[0].bytes_per_second:", "a number from 1 to 1e+30"},
    {R"({"devices": [{"name": "cpu:0", "kernels": [1]}]})",
     "devices[0].kernels[0]:", "a text"},
    {R"({"devices": [{"name": "cpu:0", "kernels": [],
          "excluded_kernels": []}]})",
     "devices[0]:", "only one of"},
    {R"({"devices": [{"name": "cpu:0",
          "options": {"cores": "0", "numa_node": 0}}]})",
     "devices[0].options:", "only one of \"cores\" and \"numa_node\""},
    {R"({"devices": [{"name": "cpu:0", "name": "cpu:1"}]})",
     "t.json: devices[0]:", "\"name\" occurs twice"},
    {R"({"devices": [{"name": "cpu:0"}, {"name": "cpu:1",
                     "flops": {"f32": 1, "f32": 2}}]})",
     "t.json: devices[1].flops:", "\"f32\" occurs twice"},
    {R"({"devices": [], "devices": []})",
     "t.json: top level:", "\"devices\" occurs twice"},
    {R"({"devices": [{"name": "cpu:0"}], "links": {}})", "links:", "a list"},
    {R"({"devices": [{"name": "cpu:0"}], "links": [{}]})",
     "links[0]:", "the key \"between\""},
    {R"({"devices": [{"name": "cpu:0"}],
          "links": [{"between": ["cpu:0"], "bytes_per_second": 1}]})",
     "links[0].between:", "two device names"},
    {R"({"devices": [{"name": "cpu:0"}],
          "links": [{"between": ["cpu:0", "cpu:1"],
                     "bytes_per_second": 1}]})",
     "links[0].between[1]:", "one of the devices (cpu:0)"},
    {R"({"devices": [{"name": "cpu:0"}],
          "links": [{"between": ["cpu:0", "cpu:0"],
                     "bytes_per_second": 1}]})",
     "links[0].between:", "two different devices"},
    {R"({"devices": [{"name": "cpu:0"}, {"name": "cpu:1"}],
          "links": [{"between": ["cpu:0", "cpu:1"], "bytes_per_second": 1},
                    {"between": ["cpu:1", "cpu:0"], "bytes_per_second": 1}]})",
     "links[1].between:", "two devices without a link listed before"},
    {R"({"devices": [{"name": "cpu:0"}, {"name": "cpu:1"}],
          "links": [{"between": ["cpu:0", "cpu:1"], "bytes_per_second": 1,
                     "shared": true}]})",
     "links[0].shared:", "a text"},
    {R"({"devices": [{"name": "cpu:0", "bytes_per_second": 1e999}]})",
     "t.json:", "-1.79e308 to 1.79e308, found 1e999"},
};

// Each error names the file, the JSON path and what was expected.
TEST(TopologyTest, errorsNameThePath) {
  for (const auto &[json, path, what] : wrongTopologies) {
    StatusOr<Topology> topology = parseTopology(json, "t.json");
    ASSERT_FALSE(topology.isOk()) << json;
    std::string message(topology.status().message());
    EXPECT_EQ(message.find("t.json: "), 0u) << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }
}

// A file that is not there is named, with the system's reason.
TEST(TopologyTest, missingFileIsNamed) {
  StatusOr<Topology> topology = readTopology("/nowhere/t.json");
  EXPECT_EQ(topology.status().code(), StatusCode::NotFound);
  EXPECT_NE(topology.status().message().find(
                "'/nowhere/t.json': no such file or directory"),
            std::string::npos);
}

// Random damage gives a topology or an error, nothing else.
TEST(TopologyTest, survivesRandomDamage) {
  std::mt19937 random(11);
  for (int i = 0; i < 5000; ++i) {
    std::string text(sample);
    for (int damage = random() % 4; damage >= 0; --damage) {
      size_t at = random() % text.size();
      if (random() % 2)
        text[at] = static_cast<char>(random());
      else
        text.erase(at, random() % 9);
    }
    StatusOr<Topology> topology = parseTopology(text, "t.json");
    EXPECT_EQ(topology.isOk(), topology.status().message().empty());
  }
  EXPECT_FALSE(parseTopology(std::string(1000000, '['), "t.json").isOk());
}

// Devices that were merely named have nothing stated.
TEST(TopologyTest, namesAloneMakeATopology) {
  Topology topology =
      Topology::of({{0, DeviceKind::CPU, 0}, {0, DeviceKind::Null, 1}});
  EXPECT_EQ(toString(topology.names()), "cpu:0, null:1");
  EXPECT_EQ(topology.indexOf({0, DeviceKind::Null, 1}), 1u);
  EXPECT_EQ(topology.indexOf({0, DeviceKind::Null, 0}), std::nullopt);
  EXPECT_TRUE(topology.devices[1].allowsKernel("conv"));
}
