//===- NumericCheck.h - Finds NaN and infinity in results -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_NUMERICCHECK_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_NUMERICCHECK_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

namespace weir {

/// If a result has a NaN or infinity, an error that names the first one.
/// `slots` are the buffers of a launch: operands, then results.
Status checkResults(const KernelSpec &spec, void *const *slots);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_NUMERICCHECK_H
