//===- KernelTable.cpp - The kernels of CPU devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/KernelTable.h"

using namespace weir;

std::span<const KernelTableEntry> weir::cpuKernels() { return {}; }
