//===- CostModel.h - Predicts times of launches and copies ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// A roofline model: a launch takes the longer of its arithmetic at the device's
// peak rate and its memory traffic at the device's bandwidth, plus a fixed
// overhead. See Williams, Waterman and Patterson, "Roofline: an insightful
// visual performance model for multicore architectures" (CACM 52(4), 2009).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_COSTMODEL_H
#define WEIR_ANALYSIS_COSTMODEL_H

#include "weir/Support/Topology.h"

#include <array>

namespace weir::analysis {

/// The rates of one device. All are positive.
struct DeviceRates {
  /// Peak arithmetic rate in flop/s, by DType.
  std::array<double, numDTypes> flopsPerSecond{};
  /// Memory rate in byte/s.
  double bytesPerSecond = 0;
  /// Fixed time of one launch, in seconds.
  double launchSeconds = 0;
};

/// The rates of one link.
struct LinkRates {
  /// In byte/s.
  double bytesPerSecond = 0;
  /// Fixed time of one copy, in seconds.
  double latencySeconds = 0;
};

/// Defaults for rates that a topology does not state. They are orders of
/// magnitude of present machines, good enough to rank devices.
namespace defaults {
/// One CPU thread with 512-bit vectors: two 16-lane FMAs a cycle at 2 GHz.
inline constexpr double cpuFlopsPerThread = 128e9;
/// Memory rate of one CPU device, in byte/s.
inline constexpr double cpuBytesPerSecond = 20e9;
/// One command of the executor and one call into the CPU library, in seconds.
inline constexpr double cpuLaunchSeconds = 1e-6;
/// A data-centre GPU: f32 outside and inside the tensor cores, in flop/s.
inline constexpr double cudaFlops = 60e12;
inline constexpr double cudaTensorFlops = 800e12;
inline constexpr double cudaBytesPerSecond = 3e12;
inline constexpr double cudaLaunchSeconds = 4e-6;
/// The rates of generated and reference code, as parts of the rate of library
/// kernels. A product of 512x512 and a 3x3 convolution of 64 channels were
/// measured: 1/1 and 1/16 for generated code, 1/180 and 1/310 for reference
/// code. These are the means.
inline constexpr double generatedSpeed = 0.25;
inline constexpr double referenceSpeed = 0.004;
/// The null device runs nothing: only its launches take time.
inline constexpr double nullFlops = 1e18;
inline constexpr double nullBytesPerSecond = 1e18;
inline constexpr double nullLaunchSeconds = 1e-7;
/// Between devices in the memory of one host.
inline constexpr double hostLinkBytesPerSecond = 10e9;
inline constexpr double hostLinkLatencySeconds = 1e-6;
/// Between a host and its GPU (PCIe 4 x16), or two of its GPUs.
inline constexpr double gpuLinkBytesPerSecond = 25e9;
inline constexpr double gpuLinkLatencySeconds = 10e-6;
/// Between hosts (100 Gbit/s).
inline constexpr double networkBytesPerSecond = 12.5e9;
inline constexpr double networkLatencySeconds = 20e-6;
} // namespace defaults

/// What kind of code does the arithmetic of a launch.
enum class CodeKind { Library, Generated, Reference };

/// The rate of such code as a part of the peak rate. Library kernels almost
/// reach the peak rate.
double speedOf(CodeKind kind);

/// The default rates of a device of `kind` with `threads` threads (CPU and sim
/// devices only; 0 counts as 1).
DeviceRates defaultRates(DeviceKind kind, uint32_t threads = 1);

/// The rates of `device`: those that it states, else the defaults of its kind.
/// A dtype without a stated rate has the stated f32 rate, if there is one.
DeviceRates ratesOf(const DeviceDesc &device);

/// The rates from one device to another: those of the topology's link, else
/// defaults that depend on the kinds and hosts of both.
LinkRates linkRates(const Topology &topology, DeviceName from, DeviceName to);

/// Predicted time in seconds of one launch that does `flops` operations of type
/// `type` and moves `bytes` bytes to and from memory.
double predictLaunchSeconds(const DeviceRates &rates, DType type, double flops,
                            double bytes);

/// Predicted time in seconds of a copy of `bytes` bytes.
double predictCopySeconds(const LinkRates &rates, double bytes);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_COSTMODEL_H
