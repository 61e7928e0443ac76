//===- KernelTester.h - Runs one kernel on plain arrays -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Expected values in these tests come from plain loops over `Array`, written
// from the op's definition and independent of the kernels under test.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_KERNELS_KERNELTESTER_H
#define WEIR_TEST_UNIT_KERNELS_KERNELTESTER_H

#include "weir/Runtime/Kernel.h"

#include <functional>
#include <string>
#include <vector>

namespace weir::test {

using Dims = std::vector<int64_t>;

/// Values in row-major order.
struct Array {
  Dims dims;
  std::vector<double> values;

  explicit Array(Dims dims, double value = 0);
  double &at(const Dims &index);
  double at(const Dims &index) const;
  /// The value at `index` by numpy's broadcasting.
  double broadcastAt(const Dims &index) const;
};

/// Calls `visit` with every index of `dims`, in row-major order.
void forEachIndex(const Dims &dims,
                  const std::function<void(const Dims &)> &visit);

/// Values in [-1, 1) that bf16 holds exactly; another sequence per seed.
Array patterned(Dims dims, int seed = 1);

/// An array whose value at each index is `value(index)`.
Array computed(Dims dims, const std::function<double(const Dims &)> &value);

TensorDesc rowMajor(DType type, Dims dims);
TensorDesc channelsLast(DType type, Dims dims);
/// The descriptor in either layout.
TensorDesc inLayout(bool isChannelsLast, DType type, Dims dims);

/// Collects a KernelSpec and its operands, prepares and runs the kernel.
class KernelTester {
public:
  explicit KernelTester(std::string name) { spec.name = std::move(name); }

  KernelTester &attr(std::string name, AttrValue value);
  KernelTester &operand(TensorDesc desc, const Array &values);
  /// An operand whose bytes are known at load.
  KernelTester &constant(TensorDesc desc, const Array &values);
  KernelTester &result(TensorDesc desc);
  KernelTester &postOp(std::string algorithm, double alpha, double beta);
  /// A post-op that reads one more operand.
  KernelTester &postOp(std::string algorithm, TensorDesc desc,
                       const Array &values);
  KernelTester &threads(int count);

  StatusOr<std::unique_ptr<Kernel>> prepare();
  /// Runs the kernel twice, with different buffers the second time, and returns
  /// the result. Failures, scalar code of the library, and bytes written
  /// outside of the result are test failures. So are other bits where a team of
  /// three is left out (`Kernel::mayRunAlone`).
  Array run();
  /// Like `run`, for a kernel with several results.
  std::vector<Array> runAll();
  /// Compares `run()` with `expected`: |difference| <= tolerance * (1 +
  /// |expected|).
  void expect(const Array &expected, double tolerance = 1e-5);
  void expectAll(const std::vector<Array> &expected, double tolerance = 1e-5);

  /// The most parts in which a constant was read.
  size_t mostReads() const;

  /// The implementation that the kernel of the last `run` reports.
  std::string implementation;
  KernelSpec spec;

private:
  class Context;
  void checkAlone();
  std::vector<Array> runOnce(Kernel &kernel,
                             std::vector<std::vector<char>> buffers);

  std::vector<std::vector<char>> operands;
  std::vector<bool> isConstant;
  std::shared_ptr<Context> context;
  int threadCount = 1;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_KERNELS_KERNELTESTER_H
