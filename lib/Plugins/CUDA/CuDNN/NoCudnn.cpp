//===- NoCudnn.cpp - A plug-in without cuDNN -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This file takes the place of the other files of its folder in a build without
// cuDNN's headers.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"

using namespace weir;

std::span<const OpKernelRow> weir::cudnnRows() { return {}; }

std::span<const KernelTableEntry> weir::cudnnKernels() { return {}; }
