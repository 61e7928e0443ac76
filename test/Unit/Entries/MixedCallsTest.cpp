//===- MixedCallsTest.cpp - Calls of all entries at once --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Threads call the entries of one model as they come, two runs at a time. Every
// answer has the bits of a call alone, on one device.
//
//===----------------------------------------------------------------------===//

#include "../Support/Trials.h"
#include "SharedModel.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <random>
#include <thread>

using namespace weir;

/// "classify" and "embed" read what "touch" writes. Adding the zeros that it is
/// given leaves the bits as they are.
static constexpr const char *model = R"(
  weir.parameter @kernel : tensor<8x3x3x3xf32> = dense<"{0}">
    : tensor<8x3x3x3xf32>
  weir.parameter @weight : tensor<128x16xf32> = dense<"{1}">
    : tensor<128x16xf32>
  func.func @classify(%x: tensor<?x3x8x8xf32>) -> tensor<?x16xf32> {{
    %kernel = weir.read @kernel : tensor<8x3x3x3xf32>
    %weight = weir.read @weight : tensor<128x16xf32>
    %c = weir.conv %x, %kernel on "cpu:0" {{pads = [1, 1, 1, 1]}}
      : tensor<?x3x8x8xf32>, tensor<8x3x3x3xf32>
    %r = weir.relu %c on "cpu:0" : tensor<?x8x8x8xf32>
    %p = weir.max_pool %r on "cpu:1"
      {{kernel_shape = [2, 2], strides = [2, 2]}} : tensor<?x8x8x8xf32>
    %f = weir.reshape %p {{shape = [-1, 128]}} : tensor<?x8x4x4xf32>
    %m = weir.matmul %f, %weight on "cpu:1"
      : tensor<?x128xf32>, tensor<128x16xf32>
    %y = weir.softmax %m on "cpu:0" {{axis = 1}} : tensor<?x16xf32>
    return %y : tensor<?x16xf32>
  }}
  func.func @embed(%x: tensor<24x128xf32>) -> tensor<24x24xf32> {{
    %weight = weir.read @weight : tensor<128x16xf32>
    %m = weir.matmul %x, %weight on "cpu:1"
      : tensor<24x128xf32>, tensor<128x16xf32>
    %g = weir.gelu %m on "cpu:0" : tensor<24x16xf32>
    %t = weir.transpose %m on "cpu:1" {{perm = [1, 0]}} : tensor<24x16xf32>
    %y = weir.matmul %g, %t on "cpu:0" : tensor<24x16xf32>, tensor<16x24xf32>
    return %y : tensor<24x24xf32>
  }}
  func.func @touch(%zero: tensor<1xf32>) {{
    %kernel = weir.read @kernel : tensor<8x3x3x3xf32>
    %weight = weir.read @weight : tensor<128x16xf32>
    %a = weir.add %kernel, %zero on "cpu:0"
      : tensor<8x3x3x3xf32>, tensor<1xf32>
    %b = weir.add %weight, %zero on "cpu:1" : tensor<128x16xf32>, tensor<1xf32>
    weir.assign @kernel, %a : tensor<8x3x3x3xf32>
    weir.assign @weight, %b : tensor<128x16xf32>
    return
  }}
)";

namespace {

/// Values from -1 to 1 without 0.
std::vector<float> draw(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = (static_cast<float>(random() % 4096) - 2047.5f) / 2048;
  return values;
}

/// The bytes of `values` as MLIR writes them.
std::string toHex(const std::vector<float> &values) {
  std::string text = "0x";
  for (float value : values)
    for (std::byte byte : std::bit_cast<std::array<std::byte, 4>>(value))
      text += fmt::format("{:02X}", std::to_integer<int>(byte));
  return text;
}

std::unique_ptr<Session> loadModel(const CompileOptions &options) {
  const std::string text =
      fmt::format(model, toHex(draw(216, 1)), toHex(draw(2048, 2)));
  return loadText(text, "embed", options);
}

/// A call, and the elements that it returns.
struct Call {
  std::string entry;
  std::vector<int64_t> dims;
  std::vector<float> input, answer;

  /// Makes the call and returns its elements.
  std::vector<float> run(const Session &session) const {
    auto outputs = session.entry(entry)->run(list(floats(dims, input)));
    EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
    if (!outputs || outputs->empty())
      return {};
    const auto values = outputs->front().values<float>();
    return {values.begin(), values.end()};
  }
};

std::vector<Call> makeCalls() {
  std::vector<Call> calls;
  for (unsigned seed = 10; seed < 20; ++seed) {
    calls.push_back({"classify", {1, 3, 8, 8}, draw(192, seed), {}});
    calls.push_back({"classify", {3, 3, 8, 8}, draw(576, seed), {}});
    calls.push_back({"embed", {24, 128}, draw(3072, seed), {}});
  }
  calls.push_back({"touch", {1}, {0}, {}});
  calls.push_back(calls.back());
  return calls;
}

bool haveSameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
  });
}

/// Makes `count` of the calls on each of four threads. Returns how many answers
/// have other bits.
int countDifferent(const Session &session, const std::vector<Call> &calls,
                   int count) {
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < count; ++i) {
        const Call &call = calls[random() % calls.size()];
        different += !haveSameBits(call.run(session), call.answer);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return different;
}

CompileOptions optionsFor(const std::string &devices) {
  CompileOptions options;
  options.devices = devices;
  options.threads = 1;
  options.shapes = {"classify/x:1x3x8x8", "classify/x:3x3x8x8"};
  return options;
}

} // namespace

TEST(MixedCalls, HaveTheBitsOfCallsAlone) {
  std::vector<Call> calls = makeCalls();
  auto alone = loadModel(optionsFor("cpu:0"));
  ASSERT_TRUE(alone);
  for (Call &call : calls) {
    call.answer = call.run(*alone);
    ASSERT_EQ(call.answer.empty(), call.entry == "touch");
  }
  for (const char *isolated : {"", "cpu:1"}) {
    CompileOptions options = optionsFor("cpu:0-1");
    options.isolated = isolated;
    options.inFlight = 2;
    auto session = loadModel(options);
    ASSERT_TRUE(session);
    const int numTrials = countTrials(2000);
    EXPECT_EQ(countDifferent(*session, calls, numTrials / 4), 0);
    EXPECT_EQ(session->stats().runs, static_cast<uint64_t>(numTrials / 4) * 4);
  }
}
