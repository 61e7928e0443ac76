//===- DeviceConformanceTest.cpp - The suite on the kinds of this build ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Testing/DeviceConformance.h"

#include "weir/Runtime/HostDevice.h"

#include <chrono>

using namespace weir;
using namespace weir::test;

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceConformance,
                         testing::Values("cpu", "demo", "null", "sim"),
                         [](const auto &info) { return info.param; });

namespace {

/// A device whose kernels write to a member.
class CountingDevice final : public HostDevice {
public:
  explicit CountingDevice(int &numAtEnd)
      : HostDevice({}, {"test:0"}, {"test:0"}), numAtEnd(numAtEnd) {}
  ~CountingDevice() override {
    closeQueues();
    numAtEnd = numLaunches;
  }
  std::string packingKey() const override { return {}; }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &,
                                            PrepareContext &) override {
    return unimplemented("there is no kernel");
  }

  int numLaunches = 0;

private:
  int &numAtEnd;
};

/// A launch of it that takes long.
class SlowCount final : public Kernel {
public:
  explicit SlowCount(CountingDevice &device) : device(device) {}
  Status run(const KernelArgs &) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ++device.numLaunches;
    return Status::ok();
  }

private:
  CountingDevice &device;
};

} // namespace

// A derived class can wait for its queues before its members are destroyed.
TEST(HostDevice, ClosesItsQueues) {
  int numAtEnd = -1;
  auto device = std::make_unique<CountingDevice>(numAtEnd);
  SlowCount kernel(*device);
  RunControl run;
  run.reset(0, 3);
  conformance::Work works[3];
  const auto queue = device->openQueue(QueueRole::Compute);
  ASSERT_TRUE(queue.isOk()) << queue.status().message();
  for (conformance::Work &work : works)
    work.launch(kernel).submit(**queue, run);
  device.reset();
  EXPECT_EQ(numAtEnd, 3);
}
