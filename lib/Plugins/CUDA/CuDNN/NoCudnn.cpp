//===- NoCudnn.cpp - A plug-in without cuDNN -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Takes the place of all other files here in a build without cuDNN's headers.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"

using namespace weir;

std::span<const OpKernelRow> weir::cudnnRows() { return {}; }

std::span<const KernelTableEntry> weir::cudnnKernels() { return {}; }
