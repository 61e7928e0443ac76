//===- PortCheck.h - Checks buffers for inputs and outputs ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSION_PORTCHECK_H
#define WEIR_LIB_RUNTIME_SESSION_PORTCHECK_H

#include "weir/Runtime/Tensor.h"
#include "weir/Support/Status.h"

#include <span>

namespace weir {

/// "'x' 1x8xf32, 'y' 4xf32", or "none".
std::string describePorts(std::span<const TensorInfo> ports);

/// Check the caller's tensors. The errors name the input or output, what was
/// expected and what was found.
Status checkInputs(std::span<const TensorInfo> expected,
                   std::span<const ConstTensorView> found);
Status checkOutputs(std::span<const TensorInfo> expected,
                    std::span<const TensorView> found);

/// Checks `host`, from or to which `tensor` is copied: it must have the type
/// and shape of `tensor` and lie in the host's memory.
Status checkHostSide(const ConstTensorView &tensor,
                     const ConstTensorView &host);

/// Checks that a new value of a variable has the type and shape of the
/// variable, and that it lies in the host's memory.
Status checkVariableValue(const TensorInfo &expected,
                          const ConstTensorView &found);

/// Refuses an output that overlaps another output, or an input that is read.
/// The checks above come first: each view must lie in the space of its port.
Status checkOverlaps(std::span<const TensorInfo> inputInfos,
                     std::span<const ConstTensorView> inputs,
                     std::span<const TensorInfo> outputInfos,
                     std::span<const TensorView> outputs);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSION_PORTCHECK_H
