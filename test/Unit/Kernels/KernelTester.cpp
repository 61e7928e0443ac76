//===- KernelTester.cpp - Runs one kernel on plain arrays -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "Runtime/OpenMP/Team.h"
#include "weir/Runtime/KernelTable.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

using namespace weir;
using namespace weir::test;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static int64_t product(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

Array::Array(Dims shape, double value)
    : dims(std::move(shape)), values(product(dims), value) {}

static int64_t flatten(const Dims &dims, const Dims &index) {
  int64_t flat = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    flat = flat * dims[i] + index[i];
  return flat;
}

double &Array::at(const Dims &index) { return values[flatten(dims, index)]; }
double Array::at(const Dims &index) const {
  return values[flatten(dims, index)];
}

double Array::broadcastAt(const Dims &index) const {
  Dims own(index.end() - dims.size(), index.end());
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == 1)
      own[i] = 0;
  return at(own);
}

void test::forEachIndex(const Dims &dims,
                        const std::function<void(const Dims &)> &visit) {
  int64_t count = product(dims);
  Dims index(dims.size(), 0);
  for (int64_t flat = 0; flat < count; ++flat) {
    visit(index);
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < dims[i])
        break;
      index[i] = 0;
    }
  }
}

Array test::patterned(Dims dims, int seed) {
  Array array(std::move(dims));
  uint32_t state = 12345u * seed;
  for (double &value : array.values) {
    state = state * 1664525u + 1013904223u;
    value = (static_cast<int>(state >> 24) - 128) / 128.0;
  }
  return array;
}

Array test::computed(Dims dims,
                     const std::function<double(const Dims &)> &value) {
  Array array(std::move(dims));
  forEachIndex(array.dims,
               [&](const Dims &index) { array.at(index) = value(index); });
  return array;
}

TensorDesc test::rowMajor(DType type, Dims dims) {
  return TensorDesc::rowMajor(type, std::move(dims));
}

TensorDesc test::channelsLast(DType type, Dims dims) {
  Dims moved = dims;
  std::rotate(moved.begin() + 1, moved.begin() + 2, moved.end());
  Dims strides = TensorDesc::rowMajor(type, moved).strides;
  std::rotate(strides.begin() + 1, strides.end() - 1, strides.end());
  return {type, std::move(dims), std::move(strides)};
}

TensorDesc test::inLayout(bool isChannelsLast, DType type, Dims dims) {
  return isChannelsLast ? channelsLast(type, std::move(dims))
                        : rowMajor(type, std::move(dims));
}

//===----------------------------------------------------------------------===//
// KernelTester
//===----------------------------------------------------------------------===//

static int64_t offsetOf(const TensorDesc &desc, const Dims &index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * desc.strides[i];
  return offset;
}

/// A byte that no test value contains, to see what a kernel did not write.
static constexpr char untouched = 0x5a;

static std::vector<char> toBytes(const TensorDesc &desc, const Array &values) {
  std::vector<char> bytes(desc.spanBytes(), untouched);
  forEachIndex(desc.dims, [&](const Dims &index) {
    storeFloat(desc.type, bytes.data(), offsetOf(desc, index),
               values.at(index));
  });
  return bytes;
}

class KernelTester::Context : public PrepareContext {
public:
  explicit Context(const KernelTester &tester) : tester(tester) {}

  int numThreads() const override { return tester.threadCount; }
  bool isConstant(int index) const override { return tester.isConstant[index]; }
  StatusOr<const void *> packedOperand(int index, std::string_view key,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    std::vector<char> &memory =
        packed[std::to_string(index) + std::string(key)];
    memory.resize(bytes + 64);
    void *aligned = memory.data();
    size_t space = memory.size();
    std::align(64, bytes, aligned, space);
    Reader reader(tester.operands[index]);
    WEIR_RETURN_IF_ERROR(pack(reader, aligned));
    mostReads = std::max(mostReads, reader.reads);
    return static_cast<const void *>(aligned);
  }

  /// The most parts in which a constant was read.
  size_t mostReads = 0;

private:
  /// Hands out each part as a copy of its own, which ends with the next one.
  class Reader final : public ConstantReader {
  public:
    explicit Reader(const std::vector<char> &operand) : operand(operand) {}
    StatusOr<const void *> read(uint64_t offset, uint64_t bytes) override {
      ++reads;
      EXPECT_LE(offset + bytes, operand.size());
      part = std::vector<char>(operand.begin() + offset,
                               operand.begin() + offset + bytes);
      return static_cast<const void *>(part.data());
    }
    size_t reads = 0;

  private:
    const std::vector<char> &operand;
    std::vector<char> part;
  };

  const KernelTester &tester;
  std::map<std::string, std::vector<char>> packed;
};

size_t KernelTester::mostReads() const {
  return context ? context->mostReads : 0;
}

KernelTester &KernelTester::attr(std::string name, AttrValue value) {
  spec.attrs.set(std::move(name), std::move(value));
  return *this;
}

KernelTester &KernelTester::operand(TensorDesc desc, const Array &values) {
  operands.push_back(toBytes(desc, values));
  isConstant.push_back(false);
  spec.operands.push_back(std::move(desc));
  return *this;
}

KernelTester &KernelTester::constant(TensorDesc desc, const Array &values) {
  operand(std::move(desc), values);
  isConstant.back() = true;
  return *this;
}

KernelTester &KernelTester::result(TensorDesc desc) {
  spec.results.push_back(std::move(desc));
  return *this;
}

KernelTester &KernelTester::postOp(std::string algorithm, double alpha,
                                   double beta) {
  spec.postOps.push_back({std::move(algorithm), alpha, beta, -1});
  return *this;
}

KernelTester &KernelTester::postOp(std::string algorithm, TensorDesc desc,
                                   const Array &values) {
  operand(std::move(desc), values);
  spec.postOps.push_back(
      {std::move(algorithm), 0, 0, static_cast<int>(spec.operands.size()) - 1});
  return *this;
}

KernelTester &KernelTester::threads(int count) {
  threadCount = count;
  return *this;
}

StatusOr<std::unique_ptr<Kernel>> KernelTester::prepare() {
  for (const KernelTableEntry &entry : cpuKernels()) {
    if (entry.name != spec.name)
      continue;
    context = std::make_shared<Context>(*this);
    return entry.prepare(spec, *context);
  }
  return notFound("no kernel '" + spec.name + "'");
}

static Array toArray(const TensorDesc &desc, const std::vector<char> &bytes) {
  return computed(desc.dims, [&](const Dims &index) {
    return loadFloat(desc.type, bytes.data(), offsetOf(desc, index));
  });
}

/// Whether the gaps of a strided tensor still hold what they held.
static bool gapsUntouched(const TensorDesc &desc, std::vector<char> bytes) {
  size_t size = byteSize(desc.type);
  forEachIndex(desc.dims, [&](const Dims &index) {
    std::memset(bytes.data() + offsetOf(desc, index) * size, untouched, size);
  });
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char byte) { return byte == untouched; });
}

std::vector<Array>
KernelTester::runOnce(Kernel &kernel, std::vector<std::vector<char>> buffers) {
  for (const TensorDesc &desc : spec.results)
    buffers.emplace_back(desc.spanBytes() + 64, untouched);
  std::vector<void *> pointers;
  for (std::vector<char> &buffer : buffers)
    pointers.push_back(buffer.data());
  // Garbage in the workspace must not affect a result; NaNs would show it.
  std::vector<char> workspace(kernel.workspaceBytes() + 64,
                              static_cast<char>(0xff));
  void *aligned = workspace.data();
  size_t space = workspace.size();
  std::align(64, kernel.workspaceBytes(), aligned, space);
  omp_set_num_threads(threadCount);
  Status status = kernel.run({pointers.data(), aligned});
  EXPECT_TRUE(status.isOk()) << status.message();
  std::vector<Array> results;
  for (size_t i = 0; i < spec.results.size(); ++i) {
    const TensorDesc &desc = spec.results[i];
    const std::vector<char> &bytes = buffers[spec.operands.size() + i];
    EXPECT_TRUE(gapsUntouched(desc, bytes)) << desc.toString();
    results.push_back(toArray(desc, bytes));
  }
  return results;
}

static bool haveSameBits(const Array &a, const Array &b) {
  return std::ranges::equal(std::as_bytes(std::span(a.values)),
                            std::as_bytes(std::span(b.values)));
}

Array KernelTester::run() { return runAll().front(); }

std::vector<Array> KernelTester::runAll() {
  StatusOr<std::unique_ptr<Kernel>> kernel = prepare();
  if (!kernel) {
    ADD_FAILURE() << kernel.status().message();
    std::vector<Array> nothing;
    for (const TensorDesc &desc : spec.results)
      nothing.emplace_back(desc.dims, NAN);
    return nothing;
  }
  implementation = (*kernel)->implementation();
  EXPECT_EQ(implementation.find("ref:"), std::string::npos)
      << spec.name << " runs " << implementation;
  std::vector<Array> first = runOnce(**kernel, operands);
  std::vector<Array> second = runOnce(**kernel, operands);
  EXPECT_TRUE(std::ranges::equal(first, second, haveSameBits))
      << "two runs differ";
  checkAlone();
  return second;
}

void KernelTester::checkAlone() {
  KernelTester tester = *this;
  tester.threadCount = std::max(threadCount, 3);
  StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
  if (!kernel || (*kernel)->isSerial() || !(*kernel)->mayRunAlone())
    return;
  const std::vector<Array> onTeam = tester.runOnce(**kernel, operands);
  const WithoutTeam without;
  const std::vector<Array> alone = tester.runOnce(**kernel, operands);
  EXPECT_TRUE(std::ranges::equal(onTeam, alone, haveSameBits))
      << "a run without its team differs: " << (*kernel)->implementation();
}

void KernelTester::expect(const Array &expected, double tolerance) {
  expectAll({expected}, tolerance);
}

void KernelTester::expectAll(const std::vector<Array> &expected,
                             double tolerance) {
  std::vector<Array> found = runAll();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t result = 0; result < found.size(); ++result) {
    ASSERT_EQ(found[result].dims, expected[result].dims);
    for (size_t i = 0; i < found[result].values.size(); ++i)
      ASSERT_NEAR(found[result].values[i], expected[result].values[i],
                  tolerance * (1 + std::abs(expected[result].values[i])))
          << "of result " << result << " at flat index " << i
          << ", implementation " << implementation;
  }
}
