//===- CudaPlugin.h - The device kind "cuda" --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAPLUGIN_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAPLUGIN_H

#include "weir/Support/DevicePlugin.h"

namespace weir {

/// The plug-in as its library returns it. Tests change parts of it.
DevicePlugin makeCudaPlugin();

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAPLUGIN_H
