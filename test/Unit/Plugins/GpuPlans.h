//===- GpuPlans.h - Plans for GPUs and their code ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// They run on the pretended GPUs as on real ones.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_GPUPLANS_H
#define WEIR_TEST_UNIT_PLUGINS_GPUPLANS_H

#include "SmallPlans.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/Trace.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace weir::test {

/// The entries of the code in these tests: the sum of two vectors, twice a
/// vector, a vector with a NaN at its beginning, and twice a vector of which
/// elements above 5 are indices out of range.
inline constexpr uint32_t add = 0, twice = 1, makesNan = 2, twiceChecked = 3;

/// Code for GPUs with these entries: images of machine code (true) or PTX
/// (false) for these architectures. The PTX is valid; no machine code is. The
/// first line of an image names it, "// ptx 80" or "cubin 90", and the second
/// is `comment`.
std::vector<std::byte>
makeCode(const std::vector<std::pair<bool, uint32_t>> &images = {{false, 80}},
         const std::string &comment = "");

/// y = 2^n x by `numLaunches` launches "launch0", "launch1" ... on `device`.
/// The last one is of the entry `last`.
PlanBuilder makeChain(const std::string &device, int numLaunches,
                      uint32_t last = twice);

/// The same of `size` floats in the memory of cuda:0, without copies.
PlanBuilder makeDeviceChain(int numLaunches, int64_t size,
                            uint32_t last = twice);

/// y = 10x: x is doubled on cuda:0, and `kernel` makes 3x on a CPU; the sum is
/// made on the GPU `second` and doubled on another CPU.
PlanBuilder makeMixed(const std::string &kernel = "affine",
                      const std::string &second = "cuda:1");

/// y = 2x of 12 floats, by a loop of 3 launches on cuda:0. With `numAround`
/// launches before it and behind it, each of which doubles.
PlanBuilder makeLoop(int numAround = 0);

/// y = 4x on cuda:0, with the tensors "doubled" and "again".
PlanBuilder makeShown();

/// The launch "product" of `spec` on cuda:0, whose inputs "x0", "x1" ... and
/// output are in the host's memory. With `last`, the last operand is a
/// parameter with these values.
PlanBuilder makeKernelPlan(const KernelSpec &spec, const Floats &last = {});

/// The result of a run on 1, or NaN.
float resultOf(Session &session);

/// Writes down the numbers and first elements of the tensors that it is shown.
struct TensorCollector final : TensorObserver {
  Status observe(size_t tensor, const void *data) override;

  std::vector<std::pair<size_t, float>> seen;
};

/// The error of a run with --check-numerics in which launch1 makes a NaN.
std::string errorOfNan();

/// How long the launches of `trace` lasted, in ns.
std::vector<uint64_t> launchTimes(const Trace &trace);

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_GPUPLANS_H
