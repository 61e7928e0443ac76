//===- RunTensors.h - The tensors with which graph-run calls a model ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_RUNTENSORS_H
#define WEIR_LIB_RUNTIME_TOOLS_RUNTENSORS_H

#include "weir/Runtime/DeviceTensor.h"
#include "weir/Support/HostTensor.h"

#include <span>
#include <vector>

namespace weir {

class RunTarget;

/// Inputs that a run reads where the caller has them, or in the memory of a
/// device to which they were copied.
class RunInputs {
public:
  /// Copies those of `tensors` that lie on a device. The others must stay where
  /// they are.
  static StatusOr<RunInputs> of(const RunTarget &target,
                                std::span<const HostTensor> tensors);

  std::span<const ConstTensorView> views() const { return arguments; }

private:
  std::vector<DeviceTensor> onDevices;
  std::vector<ConstTensorView> arguments;
};

/// Outputs that a run writes where the caller wants them, or in the memory of a
/// device from which they are fetched.
class RunOutputs {
public:
  /// `tensors` must stay where they are.
  static StatusOr<RunOutputs> of(const RunTarget &target,
                                 std::span<HostTensor> tensors);

  std::span<const TensorView> views() const { return arguments; }
  /// Copies those that lie on a device to their tensors.
  Status fetch();

private:
  struct OnDevice {
    DeviceTensor tensor;
    HostTensor *target;
  };
  std::vector<OnDevice> onDevices;
  std::vector<TensorView> arguments;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_RUNTENSORS_H
