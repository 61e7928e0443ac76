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

#include "weir/Support/DeviceKind.h"
#include "weir/Support/Topology.h"

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

/// The fraction of the peak rate that code of this kind reaches. Library
/// kernels almost reach the peak rate.
double speedOf(CodeKind kind);

/// The fraction of the peak rate `flopsPerSecond` that products and
/// convolutions reach on `device`.
double productSpeedOf(CodeKind kind, DeviceKind device, double flopsPerSecond);

/// The rates of `device`: the rates that it states, else the defaults of its
/// kind. A dtype without a stated rate has the stated f32 rate, if there is
/// one.
DeviceRates ratesOf(const DeviceDesc &device);

/// The rates from one device to another: the rates of the topology's link, else
/// defaults that depend on the kinds and hosts of both devices.
LinkRates linkRates(const Topology &topology, DeviceName from, DeviceName to);

/// Predicted time in seconds of one launch that does `flops` operations of type
/// `type` and moves `bytes` bytes to and from memory.
double predictLaunchSeconds(const DeviceRates &rates, DType type, double flops,
                            double bytes);

/// Predicted time in seconds of a copy of `bytes` bytes.
double predictCopySeconds(const LinkRates &rates, double bytes);

/// Predicted time in seconds of bringing a value from one device to another, of
/// which `bytes` bytes are copied. Devices that share memory copy nothing: an
/// event passes the value on, which takes no time.
double predictCrossingSeconds(const Topology &topology, DeviceName from,
                              DeviceName to, double bytes);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_COSTMODEL_H
