//===- CudaCallerTest.cpp - What callers and the plug-in share ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Threads, streams, captures and memory of callers, on pretended GPUs.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "FakeCalls.h"

#include "weir/Support/HostTensor.h"

#include <thread>

using namespace weir;
using namespace weir::test;

// A run on one idle queue is carried out by the thread that asks for it, whose
// context is then what it was.
TEST_F(Cuda, RunsOnTheCaller) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  for (bool runOnCaller : {true, false}) {
    SessionOptions options;
    options.runOnCaller = runOnCaller;
    auto session = load(plan, options);
    DeviceBuffers buffers(*session);
    const ConstTensorView from = buffers.inputs[1].asInput();
    const TensorView to = buffers.output.asOutput();
    fake().forget();
    EXPECT_TRUE(session->run({&from, 1}, {&to, 1}).isOk());
    EXPECT_EQ(fake().calls()["cuCtxPushCurrent"], runOnCaller ? 1u : 0u);
    EXPECT_EQ(fake().calls()["cuCtxPopCurrent"], runOnCaller ? 1u : 0u);
  }
}

// An index that is out of range is an error on either thread, of that run
// alone.
TEST_F(Cuda, ReportsIndicesOnTheCaller) {
  PlanBuilder plan = makeDeviceChain(1, 4, twiceChecked);
  for (bool runOnCaller : {true, false}) {
    SessionOptions options;
    options.runOnCaller = runOnCaller;
    auto session = load(plan, options);
    DeviceBuffers buffers(*session);
    const ConstTensorView wrong = buffers.inputs[1].asInput();
    const TensorView to = buffers.output.asOutput();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(buffers.run(*session, 0), 2);
      const Status status = session->run({&wrong, 1}, {&to, 1});
      EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
      EXPECT_NE(status.message().find("an index of op 'pick'"),
                std::string_view::npos)
          << status.message();
    }
  }
}

// Callers' threads, and runs that are only queued, get in each other's way and
// all compute.
TEST_F(Cuda, CallersTakeTurns) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      DeviceBuffers buffers(*session);
      const ConstTensorView from = buffers.inputs[0].asInput();
      const TensorView to = buffers.output.asOutput();
      for (int at = 0; at < 20; ++at) {
        EXPECT_EQ(buffers.run(*session, 1), 40);
        EXPECT_TRUE(session->runAsync({&from, 1}, {&to, 1}).get().isOk());
      }
    });
  for (std::thread &each : threads)
    each.join();
}

// A caller binds memory of its own on the GPU, which a stream of its own is
// still to fill. It says so, and need not wait.
TEST_F(Cuda, RunsBehindAStreamOfTheCaller) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  DeviceTensor output = *session->allocate(session->outputs()[0]);
  CUcontext context = reinterpret_cast<CUcontext>(uintptr_t(1));
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  FAKE(cuCtxPushCurrent, 4000)(context);
  FAKE(cuMemAlloc, 3020)(&memory, 64);
  FAKE(cuStreamCreate, 2000)(&stream, CU_STREAM_NON_BLOCKING);
  const std::vector<int64_t> dims = {4};
  const ConstTensorView from{DType::F32, dims, reinterpret_cast<void *>(memory),
                             16, session->inputs()[0].space};
  const TensorView to = output.asOutput();
  for (int i = 0; i < 6; ++i) {
    FAKE(cuMemsetD8Async, 3020)(memory, 0, 64, stream);
    const Status status = session->orderBehind("cuda:0", stream);
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(session->run({&from, 1}, {&to, 1}).isOk());
    EXPECT_EQ(output.copyToHost()->values<float>()[3], 0);
    EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
  }
  FAKE(cuMemsetD8Async, 3020)(memory, 0, 64, stream);
  EXPECT_TRUE(session->run({&from, 1}, {&to, 1}).isOk());
  EXPECT_NE(fake().takeComplaints(), std::vector<std::string>());
  FAKE(cuStreamDestroy, 4000)(stream);
  FAKE(cuMemFree, 3020)(memory);
  FAKE(cuCtxPopCurrent, 4000)(&context);
}

// Only devices of the session whose kind has streams can wait for one.
TEST_F(Cuda, RefusesStreamsOfOtherDevices) {
  PlanBuilder plan = makeMixed();
  auto session = load(plan);
  Status status = session->orderBehind("cuda:3", nullptr);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "the session has no device 'cuda:3'; its devices are cuda:0, "
            "cuda:1, test:0, test:1");
  status = session->orderBehind("test:0", nullptr);
  EXPECT_EQ(status.code(), StatusCode::Unimplemented);
  EXPECT_EQ(status.message(),
            "test:0: callers have no streams on devices of this kind; wait for "
            "the work before the run");
}

// The memory of the GPU that a caller passes must be aligned as its kernels
// expect it. An access to any other address would lose the GPU.
TEST_F(Cuda, RefusesAddressesThatAreNotAligned) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  DeviceBuffers buffers(*session);
  const ConstTensorView from = buffers.inputs[0].asInput();
  TensorView to = buffers.output.asOutput();
  to.data = static_cast<char *>(to.data) + 4;
  const Status status = session->run({&from, 1}, {&to, 1});
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("expected a buffer at a multiple of 16"),
            std::string_view::npos)
      << status.message();
  EXPECT_EQ(buffers.run(*session, 0), 4);
}

// A program that captures its own work in the default mode is not disturbed by
// a session that is loaded, runs and ends meanwhile, nor the other way round.
TEST_F(Cuda, LeavesTheCapturesOfOthersAlone) {
  fake().beginCaptureElsewhere();
  for (const char *name : {"chain", "mixed"}) {
    PlanBuilder plan = name[0] == 'c' ? makeChain("cuda:0", 3) : makeMixed();
    auto session = load(plan);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(errorOf(*session, name[0] == 'c' ? 8 : 10), "") << name;
  }
  {
    PlanBuilder plan = makeDeviceChain(2, 4);
    auto session = load(plan, {});
    DeviceBuffers buffers(*session);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(buffers.run(*session, 1), 40);
  }
  EXPECT_TRUE(fake().endCaptureElsewhere());
}

// A queue that fails to open leaves nothing behind: what the caller's stream
// does is ordered before the others, and it can be opened again.
TEST_F(Cuda, OpensAQueueAgain) {
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  fake().failCall("cuStreamCreate", 1, CUDA_ERROR_UNKNOWN);
  EXPECT_FALSE(devices[0]->openQueue(QueueRole::Compute).isOk());
  fake().forget();
  CUcontext context = reinterpret_cast<CUcontext>(uintptr_t(1));
  CUstream stream = nullptr;
  FAKE(cuCtxPushCurrent, 4000)(context);
  FAKE(cuStreamCreate, 2000)(&stream, CU_STREAM_NON_BLOCKING);
  EXPECT_TRUE(devices[0]->orderBehind(stream).isOk());
  EXPECT_TRUE(devices[0]->openQueue(QueueRole::Compute).isOk());
  FAKE(cuStreamDestroy, 4000)(stream);
  FAKE(cuCtxPopCurrent, 4000)(&context);
}
