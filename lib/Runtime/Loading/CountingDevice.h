//===- CountingDevice.h - A device that allocates nothing -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A model that is loaded on counting devices counts what it would hold on real
// devices. It prepares the same kernels, on the same threads, but packs no
// operands, reads no parameters and loads no code into the process.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_COUNTINGDEVICE_H
#define WEIR_LIB_RUNTIME_LOADING_COUNTINGDEVICE_H

#include "weir/Runtime/Device.h"

#include <memory>

namespace weir {

/// A device that prepares the kernels of `real`. Addresses in its memory are
/// valid only as numbers, and its kernels cannot run.
std::shared_ptr<Device> makeCountingDevice(std::shared_ptr<Device> real);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_COUNTINGDEVICE_H
