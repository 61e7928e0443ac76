//===- CudaPlugin.cpp - The device kind "cuda" ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaPlugin.h"

#include "CudaDevice.h"
#include "StreamKernel.h"

#include <array>

using namespace weir;

/// The rates of a data-centre GPU: 60 Tflop/s, and 800 in the tensor cores.
static DeviceRates gpuRates() {
  DeviceRates rates;
  rates.flopsPerSecond.fill(60e12);
  for (DType type : {DType::F16, DType::BF16, DType::I8, DType::U8})
    rates.flopsPerSecond[static_cast<size_t>(type)] = 800e12;
  rates.bytesPerSecond = 3e12;
  rates.launchSeconds = 4e-6;
  return rates;
}

DevicePlugin weir::makeCudaPlugin() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const CudaDriver &driver = *new CudaDriver;
  DevicePlugin plugin;
  plugin.kind.name = "cuda";
  plugin.kind.kernels = "cuda";
  plugin.kind.rows = cudaRows();
  plugin.kind.kernelTable = cudaKernels;
  plugin.kind.codeGenerator = gpuCodeGenerator;
  plugin.kind.takesStrides = true;
  plugin.kind.hasOwnMemory = true;
  plugin.kind.copiesItself = true;
  plugin.kind.mayBeMissing = true;
  plugin.kind.checkOption = CudaOptions::check;
  plugin.kind.rates = gpuRates();
  // PCIe 4 x16, to the host or another GPU.
  plugin.kind.link = {25e9, 10e-6};
  plugin.driver = &driver;
  return plugin;
}
