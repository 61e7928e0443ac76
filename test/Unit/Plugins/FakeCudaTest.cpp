//===- FakeCudaTest.cpp - Tests of the pretended driver -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The pretended driver finds what it is there for.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "FakeCalls.h"

#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

/// A program that uses a GPU of its own: a stream or two, an event, and 64
/// bytes of memory.
class FakeCudaTest : public Cuda {
protected:
  static constexpr size_t bytes = 64;

  void SetUp() override {
    Cuda::SetUp();
    static const CUcontext kept = [] {
      CUcontext made = nullptr;
      FAKE(cuDevicePrimaryCtxRetain, 7000)(&made, 23);
      return made;
    }();
    context = kept;
    FAKE(cuCtxPushCurrent, 4000)(context);
    FAKE(cuMemAlloc, 3020)(&memory, bytes);
    FAKE(cuEventCreate, 2000)(&event, CU_EVENT_DISABLE_TIMING);
    for (CUstream &stream : streams)
      FAKE(cuStreamCreate, 2000)(&stream, CU_STREAM_NON_BLOCKING);
  }

  void TearDown() override {
    for (CUstream stream : streams)
      FAKE(cuStreamDestroy, 4000)(stream);
    FAKE(cuEventDestroy, 4000)(event);
    FAKE(cuMemFree, 3020)(memory);
    FAKE(cuCtxPopCurrent, 4000)(&context);
    Cuda::TearDown();
  }

  void fill(int stream) {
    FAKE(cuMemsetD8Async, 3020)(memory, 0, bytes, streams[stream]);
  }
  void beginCapture(CUstreamCaptureMode mode) {
    FAKE(cuStreamBeginCapture, 10010)(streams[0], mode);
  }
  bool endCapture() {
    CUgraph graph = nullptr;
    FAKE(cuStreamEndCapture, 10000)(streams[0], &graph);
    if (graph)
      FAKE(cuGraphDestroy, 10000)(graph);
    return graph != nullptr;
  }
  /// The only complaint, or how many there are.
  static std::string complaint() {
    const std::vector<std::string> all = fake().takeComplaints();
    return all.size() == 1 ? all[0] : std::to_string(all.size());
  }

  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  CUstream streams[2] = {};
  CUevent event = nullptr;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

} // namespace

// An order between two streams that is missing.
TEST_F(FakeCudaTest, FindsAMissingOrder) {
  fill(0);
  fill(1);
  EXPECT_TRUE(contains(complaint(), "is not ordered behind a fill on stream"));
  FAKE(cuEventRecord, 2000)(event, streams[1]);
  FAKE(cuStreamWaitEvent, 3020)(streams[0], event, 0);
  fill(0);
  EXPECT_EQ(complaint(), "0");
}

// The host uses its memory while a copy may be under way. With pageable memory,
// it may have ended before the call returned.
TEST_F(FakeCudaTest, FindsAMissingWait) {
  char to = 0;
  size_t numFound = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    fake().seed(seed);
    FAKE(cuMemcpyAsync, 4000)
    (reinterpret_cast<CUdeviceptr>(&to), memory, 1, streams[0]);
    fake().useOnHost(&to, 1);
    numFound += fake().takeComplaints().size();
    while (FAKE(cuStreamQuery, 2000)(streams[0]) == CUDA_ERROR_NOT_READY)
      ;
    fake().useOnHost(&to, 1);
    EXPECT_EQ(complaint(), "0");
  }
  EXPECT_GT(numFound, 0u);
  EXPECT_LT(numFound, 20u);
}

// The host cannot reach the memory of a GPU.
TEST_F(FakeCudaTest, KeepsTheHostOut) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)*reinterpret_cast<volatile char *>(memory), "");
}

// Work without a context, or in that of another GPU.
TEST_F(FakeCudaTest, FindsAMissingContext) {
  std::thread([&] { fill(0); }).join();
  EXPECT_TRUE(contains(complaint(), "without a current context"));
  CUcontext other = reinterpret_cast<CUcontext>(uintptr_t(1));
  FAKE(cuCtxPushCurrent, 4000)(other);
  fill(0);
  EXPECT_TRUE(contains(complaint(), "in another context than its stream's"));
  CUevent foreign = nullptr;
  FAKE(cuEventCreate, 2000)(&foreign, 0);
  EXPECT_EQ(FAKE(cuEventRecord, 2000)(foreign, streams[0]),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(contains(complaint(), "a stream of another context"));
  FAKE(cuEventDestroy, 4000)(foreign);
  FAKE(cuCtxPopCurrent, 4000)(&other);
}

// What the thread of a capture must not do, whatever its mode.
TEST_F(FakeCudaTest, FindsCallsInACapture) {
  beginCapture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  fill(0);
  EXPECT_TRUE(endCapture());
  const std::vector<std::function<void()>> calls = {
      [&] {
        FAKE(cuEventQuery, 2000)
        (event);
      },
      [&] {
        FAKE(cuEventRecord, 2000)
        (event, streams[0]);
      },
      [&] {
        FAKE(cuStreamQuery, 2000)
        (streams[1]);
      },
      [&] {
        char to = 0;
        FAKE(cuMemcpyAsync, 4000)
        (reinterpret_cast<CUdeviceptr>(&to), memory, 1, streams[0]);
      }};
  for (const auto &call : calls) {
    beginCapture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    call();
    EXPECT_FALSE(endCapture());
    EXPECT_TRUE(contains(complaint(), "spoils a capture"));
  }
}

// Other threads spoil a capture if it and they are in the default mode.
TEST_F(FakeCudaTest, FindsCallsBesideACapture) {
  const auto survives = [&](CUstreamCaptureMode mode,
                            CUstreamCaptureMode ofThread, int stream) {
    beginCapture(mode);
    std::thread([&] {
      FAKE(cuCtxPushCurrent, 4000)(context);
      FAKE(cuThreadExchangeStreamCaptureMode, 10010)(&ofThread);
      FAKE(cuStreamQuery, 2000)(streams[stream]);
    }).join();
    return endCapture();
  };
  constexpr auto global = CU_STREAM_CAPTURE_MODE_GLOBAL,
                 local = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                 relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_TRUE(survives(local, global, 1));
  EXPECT_TRUE(survives(global, relaxed, 1));
  EXPECT_EQ(complaint(), "0");
  EXPECT_FALSE(survives(global, global, 1));
  EXPECT_TRUE(contains(complaint(), "spoils a capture"));
  // To wait for the stream that is captured is wrong in any mode.
  EXPECT_FALSE(survives(local, relaxed, 0));
  EXPECT_TRUE(contains(complaint(), "spoils a capture"));
}
