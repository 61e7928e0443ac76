//===- PortTensors.h - Tensors for inputs and outputs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSION_PORTTENSORS_H
#define WEIR_LIB_RUNTIME_SESSION_PORTTENSORS_H

#include "weir/Runtime/Tensor.h"
#include "weir/Support/HostTensor.h"

#include <span>
#include <vector>

namespace weir {

/// A tensor of zeros for each of `ports`.
StatusOr<std::vector<HostTensor>> zerosFor(std::span<const TensorInfo> ports);

/// `tensors` as arguments of a run. The views point into the tensors.
std::vector<ConstTensorView> inputViews(std::span<const HostTensor> tensors);
std::vector<TensorView> outputViews(std::span<HostTensor> tensors);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSION_PORTTENSORS_H
