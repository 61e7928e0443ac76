//===- PortNames.h - Inputs and outputs by name -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSION_PORTNAMES_H
#define WEIR_LIB_RUNTIME_SESSION_PORTNAMES_H

#include "weir/Runtime/DeviceTensor.h"
#include "weir/Runtime/Tensor.h"

#include <functional>
#include <span>
#include <vector>

namespace weir {

/// The views of `found` in the order of `expected`. Inputs that no command
/// reads may be missing.
StatusOr<std::vector<ConstTensorView>>
inputsByName(std::span<const TensorInfo> expected,
             std::span<const NamedInput> found);

/// The views of `found` in the order of `expected`. For each output that is
/// missing, `allocate` makes a tensor, which is added to `dropped`.
StatusOr<std::vector<TensorView>> outputsByName(
    std::span<const TensorInfo> expected, std::span<const NamedOutput> found,
    const std::function<StatusOr<DeviceTensor>(const TensorInfo &)> &allocate,
    std::vector<DeviceTensor> &dropped);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSION_PORTNAMES_H
