//===- TestKernels.cpp - Kernels of the device kind "test" -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "weir/Support/Trace.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <sched.h>
#include <stdexcept>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

std::atomic<int> weir::test::numCounted{0};
std::atomic<int> weir::test::numAtGate{0};
std::atomic<uint64_t> weir::test::longestSleep{0};
std::atomic<std::thread::id> weir::test::lastThread;
std::atomic<int> weir::test::numPrepared{0};
std::atomic<int> weir::test::numPacked{0};
static std::atomic<int> numGateClosers{0};

int weir::test::countThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<int>(std::distance(begin(threads), end(threads)));
}

int weir::test::countSettledThreads() {
  // With its first thread, ThreadSanitizer starts one of its own.
  std::thread([] {}).join();
  int count = countThreads();
  for (int numEqual = 0; numEqual < 50; ++numEqual) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (int now = countThreads(); now != count) {
      count = now;
      numEqual = 0;
    }
  }
  return count;
}

int64_t weir::test::residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

void weir::test::expectThreads(int count) {
  for (int i = 0; i < 1000 && countThreads() != count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(countThreads(), count);
}

GateCloser::GateCloser() { ++numGateClosers; }
GateCloser::~GateCloser() { --numGateClosers; }

namespace {

/// A kernel made of a function of spec and arguments.
class FunctionKernel : public Kernel {
public:
  using Function = Status (*)(const KernelSpec &, const KernelArgs &);
  FunctionKernel(KernelSpec spec, Function function, size_t workspace)
      : spec(std::move(spec)), function(function), workspace(workspace) {}
  Status run(const KernelArgs &args) override { return function(spec, args); }
  size_t workspaceBytes() const override { return workspace; }
  std::string implementation() const override { return "plain"; }

private:
  KernelSpec spec;
  Function function;
  size_t workspace;
};

const float *operand(const KernelArgs &args, size_t i) {
  return static_cast<const float *>(args.buffers[i]);
}

float *result(const KernelSpec &spec, const KernelArgs &args) {
  return static_cast<float *>(args.buffers[spec.operands.size()]);
}

int64_t size(const KernelSpec &spec) { return spec.results[0].dims[0]; }

Status add(const KernelSpec &spec, const KernelArgs &args) {
  for (int64_t i = 0; i < size(spec); ++i) {
    float sum = 0;
    for (size_t o = 0; o < spec.operands.size(); ++o)
      sum += operand(args, o)[i];
    result(spec, args)[i] = sum;
  }
  return Status::ok();
}

Status processor(const KernelSpec &spec, const KernelArgs &args) {
  std::fill_n(result(spec, args), size(spec),
              static_cast<float>(sched_getcpu()));
  return Status::ok();
}

Status affine(const KernelSpec &spec, const KernelArgs &args) {
  const auto scale = static_cast<float>(spec.attrs.floatOr("scale", 1));
  const auto shift = static_cast<float>(spec.attrs.floatOr("shift", 0));
  for (int64_t i = 0; i < size(spec); ++i)
    result(spec, args)[i] = operand(args, 0)[i] * scale + shift;
  return Status::ok();
}

/// Relaxed, so that they order nothing.
std::atomic<bool> writerWaits = false, hasRead = false;

void await(const std::atomic<bool> &flag) {
  while (!flag.load(std::memory_order_relaxed))
    std::this_thread::yield();
}

Status racingReader(const KernelSpec &spec, const KernelArgs &args) {
  await(writerWaits);
  Status status = affine(spec, args);
  hasRead.store(true, std::memory_order_relaxed);
  return status;
}

Status racingWriter(const KernelSpec &spec, const KernelArgs &args) {
  writerWaits.store(true, std::memory_order_relaxed);
  await(hasRead);
  return affine(spec, args);
}

Status count(const KernelSpec &spec, const KernelArgs &args) {
  ++numCounted;
  return affine(spec, args);
}

Status sleep(const KernelSpec &spec, const KernelArgs &args) {
  const uint64_t begin = monotonicNs();
  std::this_thread::sleep_for(
      std::chrono::microseconds(spec.attrs.intOr("us", 0)));
  Status status = affine(spec, args);
  const uint64_t took = monotonicNs() - begin;
  uint64_t longest = longestSleep;
  while (longest < took && !longestSleep.compare_exchange_weak(longest, took))
    ;
  return status;
}

Status fail(const KernelSpec &spec, const KernelArgs &) {
  return internalError(std::string(spec.attrs.textOr("message", "broken")));
}

Status gate(const KernelSpec &spec, const KernelArgs &args) {
  ++numAtGate;
  while (numGateClosers != 0)
    std::this_thread::yield();
  return affine(spec, args);
}

Status nan(const KernelSpec &spec, const KernelArgs &args) {
  (void)affine(spec, args);
  result(spec, args)[spec.attrs.intOr("at", 0)] =
      std::numeric_limits<float>::quiet_NaN();
  return Status::ok();
}

Status thread(const KernelSpec &spec, const KernelArgs &args) {
  lastThread = std::this_thread::get_id();
  return affine(spec, args);
}

Status throwInRun(const KernelSpec &, const KernelArgs &) {
  throw std::runtime_error("thrown");
}

Status viaWorkspace(const KernelSpec &spec, const KernelArgs &args) {
  const size_t bytes = static_cast<size_t>(size(spec)) * sizeof(float);
  std::memcpy(args.workspace, args.buffers[0], bytes);
  std::memcpy(result(spec, args), args.workspace, bytes);
  return Status::ok();
}

template <FunctionKernel::Function function>
StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                          PrepareContext &) {
  ++numPrepared;
  return std::unique_ptr<Kernel>(
      std::make_unique<FunctionKernel>(spec, function, 0));
}

class ScalarKernel final : public FunctionKernel {
public:
  using FunctionKernel::FunctionKernel;
  bool runsScalarCode() const override { return true; }
};

StatusOr<std::unique_ptr<Kernel>> prepareScalar(const KernelSpec &spec,
                                                PrepareContext &) {
  return std::unique_ptr<Kernel>(
      std::make_unique<ScalarKernel>(spec, affine, 0));
}

class SerialKernel final : public FunctionKernel {
public:
  using FunctionKernel::FunctionKernel;
  bool isSerial() const override { return true; }
};

StatusOr<std::unique_ptr<Kernel>> prepareSerial(const KernelSpec &spec,
                                                PrepareContext &) {
  return std::unique_ptr<Kernel>(
      std::make_unique<SerialKernel>(spec, thread, 0));
}

StatusOr<std::unique_ptr<Kernel>> prepareSlowly(const KernelSpec &spec,
                                                PrepareContext &context) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return prepare<affine>(spec, context);
}

StatusOr<std::unique_ptr<Kernel>> prepareThrow(const KernelSpec &,
                                               PrepareContext &) {
  throw std::runtime_error("thrown");
}

StatusOr<std::unique_ptr<Kernel>> prepareLacking(const KernelSpec &,
                                                 PrepareContext &) {
  return unavailable("it needs a library that is not there");
}

StatusOr<std::unique_ptr<Kernel>> prepareViaWorkspace(const KernelSpec &spec,
                                                      PrepareContext &) {
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel>(
      spec, viaWorkspace, static_cast<size_t>(size(spec)) * sizeof(float)));
}

class PackedKernel final : public Kernel {
public:
  PackedKernel(int64_t size, const float *packed)
      : size(size), packed(packed) {}
  Status run(const KernelArgs &args) override {
    for (int64_t i = 0; i < size; ++i)
      static_cast<float *>(args.buffers[2])[i] =
          operand(args, 0)[i] + packed[i];
    return Status::ok();
  }

private:
  int64_t size;
  const float *packed;
};

StatusOr<std::unique_ptr<Kernel>> preparePacked(const KernelSpec &spec,
                                                PrepareContext &context) {
  ++numPrepared;
  const size_t bytes = static_cast<size_t>(size(spec)) * sizeof(float);
  auto pack = [&](ConstantReader &from, void *to) -> Status {
    ++numPacked;
    WEIR_ASSIGN_OR_RETURN(const void *values, from.read(0, bytes));
    for (int64_t i = 0; i < size(spec); ++i)
      static_cast<float *>(to)[i] = 2 * static_cast<const float *>(values)[i];
    return Status::ok();
  };
  auto packed = context.packedOperand(1, "double", bytes, pack);
  if (!packed)
    return std::move(packed).status();
  return std::unique_ptr<Kernel>(std::make_unique<PackedKernel>(
      size(spec), static_cast<const float *>(*packed)));
}

constexpr KernelTableEntry kernels[] = {
    {"add", prepare<add>},
    {"affine", prepare<affine>},
    {"count", prepare<count>},
    {"fail", prepare<fail>},
    {"gate", prepare<gate>},
    {"lacking", prepareLacking},
    {"nan", prepare<nan>},
    {"packed", preparePacked},
    {"processor", prepare<processor>},
    {"racing_reader", prepare<racingReader>},
    {"racing_writer", prepare<racingWriter>},
    {"scalar", prepareScalar},
    {"serial_thread", prepareSerial},
    {"sleep", prepare<sleep>},
    {"slow_prepare", prepareSlowly},
    {"thread", prepare<thread>},
    {"throw", prepareThrow},
    {"throw_in_run", prepare<throwInRun>},
    {"via_workspace", prepareViaWorkspace},
};

} // namespace

const DeviceDriver &weir::test::testDriver() {
  // Never destroyed, since sessions may run while the process ends.
  static const DeviceDriver &driver = *makeCpuDriver("test", kernels).release();
  return driver;
}

SessionOptions weir::test::testOptions() {
  SessionOptions options;
  options.deviceDrivers = {&testDriver()};
  return options;
}
