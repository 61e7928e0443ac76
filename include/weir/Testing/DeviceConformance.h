//===- DeviceConformance.h - What device kinds must satisfy -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A GoogleTest suite. One source of a test program includes it and says which
// kinds are tested:
//
//   #include "weir/Testing/DeviceConformance.h"
//   using weir::test::DeviceConformance;
//   INSTANTIATE_TEST_SUITE_P(Demo, DeviceConformance, testing::Values("demo"));
//
// Kinds that are not built in are found in the same way as by other programs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TESTING_DEVICECONFORMANCE_H
#define WEIR_TESTING_DEVICECONFORMANCE_H

#include "weir/Runtime/Device.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/QueueRole.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace weir::test {

/// A test with two devices of the kind in the test's parameter.
class DeviceConformance : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    const StatusOr<DeviceKind> known = parseDeviceKind(GetParam());
    ASSERT_TRUE(known.isOk()) << known.status().message();
    kind = *known;
    const StatusOr<const DeviceDriver *> found = findDeviceDriver(GetParam());
    ASSERT_TRUE(found.isOk()) << found.status().message();
    driver = *found;
    const DeviceRequest requests[] = {request(0), request(1)};
    ASSERT_TRUE(isOk(driver->canOpen(requests)));
    auto opened = driver->open(requests);
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    devices = *std::move(opened);
    ASSERT_EQ(devices.size(), 2u);
    for (size_t device = 0; device < 2; ++device)
      for (QueueRole role : {QueueRole::Compute, QueueRole::CopyIn}) {
        const auto queue = devices[device]->openQueue(role);
        ASSERT_TRUE(queue.isOk()) << queue.status().message();
        queues[device][role] = *queue;
      }
  }

  /// For assertions, which then show the error.
  static testing::AssertionResult isOk(const Status &status) {
    if (status.isOk())
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << status.message();
  }

  DeviceRequest request(int index) const {
    DeviceRequest request;
    request.name = GetParam() + ":" + std::to_string(index);
    request.threads = 1;
    request.isolated = kind->hasOwnMemory;
    return request;
  }

  DeviceQueue &queue(size_t device, QueueRole role = QueueRole::Compute) {
    return *queues[device].at(role);
  }

  /// Allocates memory of a device. If that fails, so does the test, and the
  /// result is null.
  std::unique_ptr<DeviceMemory> allocate(size_t device, size_t bytes) {
    auto memory = devices[device]->allocate(bytes);
    if (memory.isOk())
      return *std::move(memory);
    ADD_FAILURE() << memory.status().message();
    return nullptr;
  }

  DeviceKind kind;
  const DeviceDriver *driver = nullptr;
  std::vector<std::unique_ptr<Device>> devices;
  /// The queues of each device, by their roles.
  std::map<QueueRole, DeviceQueue *> queues[2];
};

namespace conformance {

/// Steps under way on one queue.
class Work {
public:
  /// `addresses` are the addresses that the steps use.
  explicit Work(std::vector<void *> addresses = {})
      : slots(std::move(addresses)) {}
  Work &launch(Kernel &kernel, uint32_t slot = 0) {
    Step step;
    step.kind = StepKind::Launch;
    step.kernel = &kernel;
    step.slot = slot;
    return add(step);
  }
  Work &move(StepKind kind, uint64_t bytes, bool crossing = false) {
    Step step;
    step.kind = kind;
    step.bytes = bytes;
    step.crossing = crossing;
    return add(step);
  }
  Work &event(StepKind kind, Event &event, int64_t value = 1) {
    Step step;
    step.kind = kind;
    step.event = &event;
    step.value = value;
    return add(step);
  }
  void submit(DeviceQueue &queue, RunControl &run) { queue.submit(ready(run)); }
  bool runHere(DeviceQueue &queue, RunControl &run) {
    return queue.runHere(ready(run));
  }
  const QueueCounters &finish() {
    done.wait();
    return submission.counters;
  }

private:
  Submission &ready(RunControl &run) {
    list.steps = steps;
    list.infos = infos;
    submission.list = &list;
    submission.run = &run;
    submission.slots = slots.data();
    submission.context = &done;
    submission.onComplete = [](Submission &submission) {
      if (submission.hasEntered)
        (void)submission.run->exit();
      (void)submission.run->leave();
      static_cast<Completion *>(submission.context)->notify();
    };
    return submission;
  }
  Work &add(const Step &step) {
    steps.push_back(step);
    infos.push_back({"op", &spec});
    return *this;
  }
  KernelSpec spec;
  std::vector<void *> slots;
  std::vector<Step> steps;
  std::vector<StepInfo> infos;
  CommandList list;
  Submission submission;
  Completion done;
};

/// A kernel that appends its number to a log.
class Recorder final : public Kernel {
public:
  Recorder(std::vector<int> &log, int id) : log(log), id(id) {}
  Status run(const KernelArgs &) override {
    log.push_back(id);
    return Status::ok();
  }

private:
  std::vector<int> &log;
  int id;
};

class Failing final : public Kernel {
public:
  Status run(const KernelArgs &) override { return internalError("broken"); }
};

/// The context on a device with 1 thread, without constant operands.
class NoConstants final : public PrepareContext {
public:
  int numThreads() const override { return 1; }
  bool isConstant(int) const override { return false; }
  StatusOr<const void *> packedOperand(int, std::string_view, size_t,
                                       const PackFunction &) override {
    return internalError("there is no constant operand");
  }
};

} // namespace conformance

// A device has the requested name and kind.
TEST_P(DeviceConformance, DescribesItself) {
  EXPECT_EQ(devices[1]->info().name, GetParam() + ":1");
  EXPECT_EQ(devices[1]->info().kind, GetParam());
  EXPECT_FALSE(driver->detect().empty());
}

// The kernel table is ordered by name. Every kernel row names a kernel of the
// table and element types that exist. A kind with a code generator has the
// kernels that call generated and reference code.
TEST_P(DeviceConformance, HasTheKernelsOfItsRows) {
  const std::span<const KernelTableEntry> table = kernelTable(kind);
  EXPECT_TRUE(std::ranges::is_sorted(table, {}, &KernelTableEntry::name));
  for (const KernelTableEntry &entry : table)
    EXPECT_NE(entry.prepare, nullptr) << entry.name;
  for (const OpKernelRow &brought : kind->rows) {
    EXPECT_NE(findKernel(table, brought.row.kernel), nullptr)
        << brought.op << ": no kernel " << brought.row.kernel;
    EXPECT_FALSE(brought.row.types.empty()) << brought.op;
    for (const std::string &type : brought.row.types)
      EXPECT_TRUE(parseDType(type).has_value()) << brought.op << ": " << type;
  }
  if (!kind->codeGenerator.empty()) {
    EXPECT_NE(findKernel(table, "generated"), nullptr);
  }
  if (kind->codeGenerator == cpuCodeGenerator) {
    EXPECT_NE(findKernel(table, "reference"), nullptr);
  }
}

// A kernel that the table lacks is an error, unless the devices do nothing.
TEST_P(DeviceConformance, RefusesUnknownKernels) {
  if (!kind->computes)
    GTEST_SKIP();
  KernelSpec spec;
  spec.name = "no such kernel";
  conformance::NoConstants context;
  const auto kernel = devices[0]->prepare(spec, context);
  ASSERT_FALSE(kernel.isOk());
  EXPECT_EQ(kernel.status().code(), StatusCode::Unimplemented);
}

// Memory of any size is aligned, zeroed and disjoint from all other memory,
// with either page placement.
TEST_P(DeviceConformance, AllocatesAlignedZeros) {
  for (auto [bytes, placement] :
       {std::pair(size_t(1), PagePlacement::Now),
        std::pair(size_t(1000), PagePlacement::FirstWrite),
        std::pair(size_t(5) << 20, PagePlacement::Now),
        std::pair(size_t(5) << 20, PagePlacement::FirstWrite)}) {
    auto memory = devices[0]->allocate(bytes, placement);
    ASSERT_TRUE(memory.isOk()) << memory.status().message();
    EXPECT_EQ((*memory)->size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*memory)->data()) %
                  deviceMemoryAlignment,
              0u);
    std::vector<char> host(bytes, 'x');
    ASSERT_TRUE(
        isOk(devices[0]->copyToHost(host.data(), (*memory)->data(), bytes)));
    EXPECT_EQ(host, std::vector<char>(bytes, 0));
  }
}

// 0 bytes is a valid size. More memory than the device has is an error.
TEST_P(DeviceConformance, RefusesMemoryItLacks) {
  EXPECT_NE(allocate(0, 0), nullptr);
  auto memory = devices[0]->allocate(size_t(1) << 60);
  ASSERT_FALSE(memory.isOk());
  EXPECT_EQ(memory.status().code(), StatusCode::ResourceExhausted);
}

// Bytes survive copies from host to device, to another device, and back to the
// host. Fills write zeros.
TEST_P(DeviceConformance, CopiesAndFills) {
  const std::string text = "sixteen bytes ..";
  const auto from = allocate(0, 16), to = allocate(1, 16);
  ASSERT_TRUE(from && to);
  ASSERT_TRUE(isOk(devices[0]->copyFromHost(from->data(), text.data(), 16)));
  RunControl run;
  run.reset(0);
  conformance::Work work({from->data(), to->data()});
  work.move(StepKind::Copy, 16, true)
      .move(StepKind::Fill, 8)
      .submit(queue(1, QueueRole::CopyIn), run);
  const QueueCounters counters = work.finish();
  EXPECT_TRUE(isOk(run.takeStatus()));
  EXPECT_EQ(counters.crossings, 1u);
  EXPECT_EQ(counters.bytesCrossed, 16u);
  std::string read(16, '?');
  ASSERT_TRUE(isOk(devices[1]->copyToHost(read.data(), to->data(), 16)));
  EXPECT_EQ(read, text);
  ASSERT_TRUE(isOk(devices[0]->copyToHost(read.data(), from->data(), 16)));
  EXPECT_EQ(read, std::string(8, '\0') + text.substr(8));
}

// Launches run in the order of the list, lists in the order of submission.
TEST_P(DeviceConformance, LaunchesInOrder) {
  std::vector<int> log, expected;
  std::vector<conformance::Recorder> kernels;
  for (int i = 0; i < 300; ++i) {
    kernels.emplace_back(log, i);
    expected.push_back(i);
  }
  RunControl run;
  run.reset(0, 3);
  conformance::Work works[3];
  for (int i = 0; i < 300; ++i)
    works[i / 100].launch(kernels[i]);
  for (conformance::Work &work : works)
    work.submit(queue(0), run);
  for (conformance::Work &work : works)
    EXPECT_EQ(work.finish().launches, 100u);
  EXPECT_EQ(log, expected);
}

// Two queues that wait for each other in turn never run at the same time. The
// log has no lock, because events order the accesses.
TEST_P(DeviceConformance, EventsOrderQueues) {
  constexpr int numTurns = 50;
  std::vector<int> log, expected;
  conformance::Recorder ping(log, 0), pong(log, 1);
  std::vector<Event> toPong(numTurns), toPing(numTurns);
  for (uint32_t base = 0; base < 3; ++base) {
    RunControl run;
    run.reset(base, 2);
    conformance::Work one, two;
    for (int i = 0; i < numTurns; ++i) {
      one.launch(ping)
          .event(StepKind::Record, toPong[i])
          .event(StepKind::Wait, toPing[i]);
      two.event(StepKind::Wait, toPong[i])
          .launch(pong)
          .event(StepKind::Record, toPing[i]);
      expected.insert(expected.end(), {0, 1});
    }
    two.submit(queue(1), run);
    one.submit(queue(0), run);
    one.finish();
    two.finish();
    EXPECT_TRUE(isOk(run.takeStatus()));
  }
  EXPECT_EQ(log, expected);
}

// All kernels are prepared on one thread, and an error is returned.
TEST_P(DeviceConformance, PreparesInOnePlace) {
  std::thread::id outer, inner;
  const Status status = devices[0]->whilePreparing([&] {
    outer = std::this_thread::get_id();
    return devices[0]->whilePreparing([&] {
      inner = std::this_thread::get_id();
      return internalError("broken");
    });
  });
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(outer, inner);
  EXPECT_NE(outer, std::thread::id());
}

// The first error is kept, later launches are skipped, and a waiting queue
// ends, although its event is not signalled.
TEST_P(DeviceConformance, AnErrorCancelsTheRest) {
  std::vector<int> log;
  conformance::Recorder recorder(log, 0);
  conformance::Failing failing;
  Event event;
  RunControl run;
  run.reset(0, 2);
  conformance::Work one, two;
  one.launch(failing).launch(recorder).event(StepKind::Record, event);
  two.event(StepKind::Wait, event).launch(recorder);
  two.submit(queue(1), run);
  one.submit(queue(0), run);
  one.finish();
  EXPECT_EQ(two.finish().launches, 0u);
  EXPECT_TRUE(log.empty());
  const Status status = run.takeStatus();
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_NE(status.message().find("op 'op' on " + GetParam() + ":0"),
            std::string_view::npos)
      << status.message();
}

// If a queue allows a caller to carry out its work, the caller does all of it,
// including reporting errors. If not, the caller does nothing.
TEST_P(DeviceConformance, RunsOnTheCaller) {
  std::vector<int> log;
  conformance::Recorder recorder(log, 1);
  conformance::Failing failing;
  for (uint32_t base = 0; base < 2; ++base) {
    RunControl run;
    run.reset(base);
    conformance::Work work;
    work.launch(recorder).launch(failing).launch(recorder);
    if (!work.runHere(queue(0), run)) {
      EXPECT_TRUE(log.empty());
      work.submit(queue(0), run);
    }
    EXPECT_EQ(work.finish().launches, 2u);
    EXPECT_EQ(run.takeStatus().code(), StatusCode::Internal);
    EXPECT_EQ(log, std::vector<int>{1});
    log.clear();
    // The queue's own thread works as before.
    run.reset(base);
    conformance::Work other;
    other.launch(recorder).submit(queue(0), run);
    other.finish();
    EXPECT_EQ(log, std::vector<int>{1});
    log.clear();
  }
}

// Queues work on after an error and after a cancelled run.
TEST_P(DeviceConformance, WorksAfterCancellation) {
  std::vector<int> log;
  conformance::Recorder recorder(log, 7);
  RunControl run;
  run.reset(0);
  run.fail(Status(StatusCode::Cancelled, "not wanted"));
  conformance::Work cancelled;
  cancelled.launch(recorder).submit(queue(0), run);
  EXPECT_EQ(cancelled.finish().launches, 0u);
  EXPECT_EQ(run.takeStatus().code(), StatusCode::Cancelled);
  run.reset(1);
  conformance::Work work;
  work.launch(recorder).submit(queue(0), run);
  work.finish();
  EXPECT_TRUE(isOk(run.takeStatus()));
  EXPECT_EQ(log, std::vector<int>{7});
}

// A queue is destroyed only when its work is done.
TEST_P(DeviceConformance, FinishesBeforeItIsDestroyed) {
  std::vector<int> log;
  conformance::Recorder recorder(log, 1);
  RunControl run;
  run.reset(0, 20);
  conformance::Work works[20];
  for (conformance::Work &work : works)
    work.launch(recorder).submit(queue(0), run);
  devices.clear();
  EXPECT_EQ(log.size(), 20u);
}

} // namespace weir::test

#endif // WEIR_TESTING_DEVICECONFORMANCE_H
