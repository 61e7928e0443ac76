//===- FaultTrial.h - A network while something fails -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_GPUFAULTS_FAULTTRIAL_H
#define WEIR_TEST_GPUFAULTS_FAULTTRIAL_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <map>
#include <string>

namespace weir::test {

/// An artifact for GPUs, and what it has to compute.
struct FaultNetwork {
  /// Compiled with the plug-in that emulates.
  std::string path;
  /// The same network for the CPU.
  std::string reference;
  /// How much results may differ, in units of the largest element.
  double tolerance = 1e-5;
  /// Whether sessions tune kernels. Then each process has a cache of its own.
  bool tunes = false;
};

/// What fails: a call of the driver or a library, by its number from 1 on.
struct Fault {
  std::string function;
  size_t number = 0;
};

/// The function of a Fault that stands for a kernel on the GPU. The GPU is lost
/// then.
inline constexpr const char *anyKernel = "kernel";

/// How often each function is called without a fault.
using CallCounts = std::map<std::string, size_t>;

/// Loads and runs the network without a fault, and checks its results. Once in
/// a process.
StatusOr<CallCounts> countCalls(const FaultNetwork &network);

/// The same with a fault: ok if all that fails names op and device, the session
/// can be used afterwards or says that the GPU is lost, and nothing is left
/// behind. Once in a process.
Status tryFault(const FaultNetwork &network, const Fault &fault);

} // namespace weir::test

#endif // WEIR_TEST_GPUFAULTS_FAULTTRIAL_H
