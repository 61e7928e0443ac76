//===- PlanDriver.cpp - A driver to make plans with -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Stands in for the driver where cuDNN makes plans for a GPU that is not there.
// It says that it has no GPU, and pretends to load what cuDNN compiles. Nothing
// can be run. All other functions of the driver do nothing (gen-driver.py).
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <dlfcn.h>
#include <string>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {
constexpr int success = 0, notFound = 500, noDevice = 100;
/// What is not null.
char object;
} // namespace

EXPORTED int cuInit(unsigned) { return noDevice; }

EXPORTED int cuDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}

EXPORTED int cuDeviceGetCount(int *count) {
  *count = 0;
  return success;
}

EXPORTED int cuGetErrorName(int, const char **name) {
  *name = "CUDA_ERROR";
  return success;
}

EXPORTED int cuGetErrorString(int, const char **text) {
  *text = "there is no GPU";
  return success;
}

EXPORTED int cuGetExportTable(const void **table, const void *) {
  *table = nullptr;
  return notFound;
}

EXPORTED int cuGetProcAddress_v2(const char *name, void **address, int,
                                 uint64_t, int *found) {
  Dl_info self;
  dladdr(&object, &self);
  void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  *address = nullptr;
  // The newest version of a function comes first.
  for (const char *suffix : {"_v3", "_v2", ""})
    if (!*address)
      *address = dlsym(library, (std::string(name) + suffix).c_str());
  dlclose(library);
  if (found)
    *found = *address ? 0 : 1;
  return success;
}

EXPORTED int cuGetProcAddress(const char *name, void **address, int version,
                              uint64_t flags) {
  return cuGetProcAddress_v2(name, address, version, flags, nullptr);
}

EXPORTED int cuLibraryLoadData(void **library, ...) {
  *library = &object;
  return success;
}

EXPORTED int cuLibraryGetKernel(void **kernel, void *, const char *) {
  *kernel = &object;
  return success;
}

EXPORTED int cuKernelGetFunction(void **function, void *) {
  *function = &object;
  return success;
}

EXPORTED int cuModuleLoadData(void **module, const void *) {
  *module = &object;
  return success;
}

EXPORTED int cuModuleLoadDataEx(void **module, ...) {
  *module = &object;
  return success;
}

EXPORTED int cuModuleGetFunction(void **function, void *, const char *) {
  *function = &object;
  return success;
}
