//===- DeviceNameTest.cpp - Names of devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DeviceName.h"

#include <gtest/gtest.h>

#include <random>

using namespace weir;

namespace {
std::string parsed(std::string_view text) {
  StatusOr<DeviceName> name = parseDeviceName(text);
  return name ? name->toString() : std::string(name.status().message());
}

std::string parsedList(std::string_view text) {
  StatusOr<std::vector<DeviceName>> names = parseDeviceList(text);
  return names ? toString(*names) : std::string(names.status().message());
}

bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != text.npos;
}
} // namespace

// Canonical names are read back as they were; host 0 is not printed.
TEST(DeviceNameTest, canonicalNamesRoundTrip) {
  for (std::string_view name : {"cpu:0", "null:1", "null:3", "null:65535",
                                "host:2/cpu:0", "host:65535/null:12"})
    EXPECT_EQ(parsed(name), name);
  EXPECT_EQ(parsed("host:0/cpu:1"), "cpu:1");
  EXPECT_EQ(parsed("cpu:007"), "cpu:7");
}

// The form of a canonical name, whatever the kind.
TEST(DeviceNameTest, canonicalFormIsKnown) {
  for (std::string_view name :
       {"cpu:0", "warp:65535", "host:2/cpu:0", "tpu_v4:12"})
    EXPECT_TRUE(isCanonicalDeviceName(name)) << name;
  for (std::string_view name :
       {"", "cpu", "cpu:", ":0", "cpu:abc", "cpu:-1", "CPU:0", "cpu:00",
        "cpu:65536", "host:0/cpu:0", "host:/cpu:0", "host:1cpu:0", "/GPU:0",
        "cpu:0\n", "cpu\x1b:0", "cpu:\xff"})
    EXPECT_FALSE(isCanonicalDeviceName(name)) << name;
}

// TensorFlow's spellings: the task is the host, GPU is cuda.
TEST(DeviceNameTest, readsTensorFlowSpellings) {
  // Where there is no such plug-in, the error names the kind.
  for (std::string_view text :
       {"/GPU:0", "/gpu:0", "GPU:0", "/job:localhost/device:GPU:0"})
    EXPECT_TRUE(parsed(text) == "cuda:0" ||
                contains(parsed(text), "unknown device kind 'cuda'"))
        << parsed(text);
  EXPECT_EQ(parsed("/device:CPU:1"), "cpu:1");
  EXPECT_EQ(parsed("/job:worker/task:2/device:CPU:0"), "host:2/cpu:0");
  EXPECT_EQ(parsed("/job:localhost/replica:0/task:0/device:CPU:0"), "cpu:0");
}

// A malformed name says what is wrong with it and what a name looks like.
TEST(DeviceNameTest, malformedNamesAreRefused) {
  struct {
    std::string_view text, why;
  } cases[] = {
      {"", "it is empty"},
      {"cpu", "the device index is missing"},
      {":0", "the device kind is missing"},
      {"cpu:", "the device index '' is not a number"},
      {"cpu:-1", "the device index '-1' is not a number"},
      {"cpu:65536", "the device index '65536' is not a number"},
      {"cpu:99999999999999999999", "is not a number"},
      {"cpu:0x1", "is not a number"},
      {"c pu:0", "'c pu' is not a device kind"},
      {" cpu:0", "' cpu' is not a device kind"},
      {"host:2", "not followed by '/'"},
      {"host:x/cpu:0", "the host 'x' is not a number"},
      {"/task:-/device:CPU:0", "the task '-' is not a number"},
      {"/job:/device:CPU:0", "the job has no name"},
      {"/node:1/device:CPU:0", "'node:1' is none of"},
      {"/device:GPU:*", "the device index '*' is not a number"},
      {"/", "the device kind is missing"},
  };
  for (const auto &[text, why] : cases) {
    std::string message = parsed(text);
    EXPECT_TRUE(contains(message, "malformed device name")) << message;
    EXPECT_TRUE(contains(message, why)) << message;
    EXPECT_TRUE(contains(message, "expected KIND:INDEX")) << message;
  }
}

// An unknown kind is another error than a malformed name, and lists the kinds.
TEST(DeviceNameTest, unknownKindsAreRefused) {
  for (std::string_view text : {"tpu:0", "gpu:0", "Cpu:0", "tpu", "/TPU:0",
                                "/device:XLA_GPU:0", "host:1/npu:0"}) {
    std::string message = parsed(text);
    EXPECT_TRUE(contains(message, "unknown device kind")) << message;
    EXPECT_TRUE(contains(message, "cpu, null")) << message;
  }
}

// Lists keep their order; a range counts both of its ends.
TEST(DeviceNameTest, readsLists) {
  EXPECT_EQ(parsedList("cpu:0-1,null:0"), "cpu:0, cpu:1, null:0");
  EXPECT_EQ(parsedList("null:0,cpu:3-3"), "null:0, cpu:3");
  EXPECT_EQ(parsedList("host:1/cpu:0-1,/device:CPU:2"),
            "host:1/cpu:0, host:1/cpu:1, cpu:2");
}

// Duplicates, empty elements, backward and huge ranges are errors.
TEST(DeviceNameTest, badListsAreRefused) {
  EXPECT_TRUE(contains(parsedList("cpu:0-2,cpu:1"), "names cpu:1 twice"));
  EXPECT_TRUE(contains(parsedList("cpu:0,/CPU:0"), "names cpu:0 twice"));
  EXPECT_TRUE(contains(parsedList(""), "the device list is empty"));
  EXPECT_TRUE(contains(parsedList("cpu:0,"), "it is empty"));
  EXPECT_TRUE(contains(parsedList(",cpu:0"), "it is empty"));
  EXPECT_TRUE(contains(parsedList("cpu:0;cpu:1"), "found ';'"));
  EXPECT_TRUE(contains(parsedList("cpu:0, cpu:1"), "without spaces"));
  EXPECT_TRUE(contains(parsedList("cpu:2-1"), "runs backwards"));
  EXPECT_TRUE(contains(parsedList("cpu:0-"), "end of the range ''"));
  EXPECT_TRUE(contains(parsedList("cpu:0-65535"), "more than 1024 devices"));
  EXPECT_TRUE(contains(parsedList("cpu:0-65535,cpu:0-65535"), "more than"));
  EXPECT_TRUE(parseDeviceList("cpu:0-1023").isOk());
}

// Whatever the bytes, the answer is a name that reads back as itself, or an
// error in printable characters.
TEST(DeviceNameTest, survivesRandomText) {
  std::mt19937 random(7);
  std::string_view alphabet("cpudaCPUGhost:/-,0123456789 task\0\xff*", 35);
  std::string_view seeds[] = {"cpu:0-1,null:0", "host:2/cpu:0",
                              "/job:worker/task:2/device:GPU:0"};
  for (int i = 0; i < 20000; ++i) {
    std::string text(seeds[random() % 3]);
    for (int damage = random() % 6; damage >= 0; --damage) {
      size_t at = random() % (text.size() + 1);
      if (random() % 2)
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      else
        text.erase(at, random() % 3);
    }
    if (StatusOr<DeviceName> name = parseDeviceName(text)) {
      EXPECT_EQ(parsed(name->toString()), name->toString());
    } else {
      for (char c : name.status().message())
        EXPECT_TRUE(c >= 0x20 && c < 0x7f) << text;
    }
    if (auto list = parseDeviceList(text)) {
      EXPECT_LE(list->size(), maxDevices);
    }
  }
}
