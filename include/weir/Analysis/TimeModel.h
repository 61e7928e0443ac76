//===- TimeModel.h - Predicts times of launches and copies ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// The cost model, which every prediction of a time asks. It is a roofline
// model: a launch takes the longer of its arithmetic at the device's peak rate
// and its memory traffic at the device's bandwidth, plus a fixed overhead. See
// Williams, Waterman and Patterson, "Roofline: an insightful visual performance
// model for multicore architectures" (CACM 52(4), 2009).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_TIMEMODEL_H
#define WEIR_ANALYSIS_TIMEMODEL_H

#include "weir/Support/DeviceKind.h"
#include "weir/Support/Topology.h"

#include <array>
#include <vector>

namespace weir::analysis {

namespace defaults {
/// The rates of generated and reference code, as parts of the rate of library
/// kernels. A product of 512x512 and a 3x3 convolution of 64 channels were
/// measured: 1/1 and 1/16 for generated code, 1/180 and 1/310 for reference
/// code. Each constant is the geometric mean of its two figures.
inline constexpr double generatedSpeed = 0.25;
inline constexpr double referenceSpeed = 0.004;
/// The rate at which generated code for GPUs computes products, in flop/s. Each
/// multiplication loads an operand from the cache. So the rate is far below the
/// peak rate, and it is the same for all types.
inline constexpr double generatedGpuProducts = 1e12;
/// The link between hosts (100 Gbit/s).
inline constexpr LinkRates network{12.5e9, 20e-6};
} // namespace defaults

/// The kinds of code that do the arithmetic of a launch.
enum class CodeKind { Library, Generated, Reference };
inline constexpr size_t numCodeKinds = 3;

/// Floating-point operations that one kind of code does.
struct Flops {
  /// The operations of products and convolutions.
  double contractions = 0;
  /// All other operations.
  double others = 0;
};

/// What a launch does, as far as its time depends on it.
struct LaunchWork {
  /// The index of the launch's device in the topology.
  size_t device = 0;
  /// The element type that it computes in.
  DType type = DType::F32;
  /// Its floating-point operations, by CodeKind.
  std::array<Flops, numCodeKinds> flops{};
  /// The bytes of its operands and results.
  double bytes = 0;

  Flops &flopsOf(CodeKind kind) { return flops[static_cast<size_t>(kind)]; }
};

/// Predicts times, in seconds, on the devices of a topology. Devices and links
/// without stated rates have the rates of their kinds. All times are finite.
class TimeModel {
public:
  explicit TimeModel(Topology topology);

  const Topology &getTopology() const { return topology; }

  double secondsOf(const LaunchWork &work) const;
  /// A copy of `bytes` bytes within the memory of the device with the index
  /// `device`, which makes the copy. It both reads and writes that memory.
  double secondsOfCopy(size_t device, double bytes) const;
  /// A fill of `bytes` bytes in the memory of that device.
  double secondsOfFill(size_t device, double bytes) const;
  /// Bringing a value from one device to another, of which `bytes` bytes are
  /// copied. Devices that share memory copy nothing: an event passes the value
  /// on, which takes no time. The topology need not list the devices.
  double secondsOfCrossing(DeviceName from, DeviceName to, double bytes) const;

private:
  Topology topology;
  /// The rates of its devices.
  std::vector<DeviceRates> rates;
};

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_TIMEMODEL_H
