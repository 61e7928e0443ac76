//===- H100Plans.cpp - Plans of cuDNN without a GPU -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "H100Plans.h"

#include "CudnnLibrary.h"
#include "TestPaths.h"

#include <dlfcn.h>

using namespace weir;

/// cuDNN's description of an H100 (docs/cuda-measurements/plans.md).
static constexpr const char *h100 =
    R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)"
    R"("regsPerBlock":65536,"multiProcessorCount":132,"warpSize":32,)"
    R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,)"
    R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)"
    R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)"
    R"("pciDeviceId":6,"isTccDriver":0,"supportCoopLaunch":1,)"
    R"("totalGlobalMem":85017493504,"smClockRateKHz":1980000,)"
    R"("memClockRateKHz":2619000,"l2CacheSize":52428800,"cudaDeviceId":0,)"
    R"("deviceVer":900,"driverVer":13000,)"
    R"("deviceName":"NVIDIA H100 80GB HBM3"})";

Status test::openForPlans() {
  if (paths::planDriver[0] == '\0')
    return unavailable("the build found no stub of CUDA's driver");
  // cuDNN opens the driver by its soname, which this one has.
  if (!dlopen(paths::planDriver, RTLD_NOW))
    return unavailable(dlerror());
  return CudnnLibrary::get().status();
}

StatusOr<std::unique_ptr<CudnnPlan>> test::planForH100(const CudnnGraph &graph,
                                                       CacheFile *store) {
  return CudnnPlan::build(graph,
                          {.description = h100, .arch = 90, .store = store});
}
