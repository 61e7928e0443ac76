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

/// The inputs of a run. A run reads each of them in the caller's memory, or in
/// the memory of a device to which it was copied.
class RunInputs {
public:
  /// Copies the tensors of inputs that are in the memory of devices. The other
  /// tensors must outlive the result and must not move.
  static StatusOr<RunInputs> of(const RunTarget &target,
                                std::span<const HostTensor> tensors);

  std::span<const ConstTensorView> views() const { return arguments; }

private:
  std::vector<DeviceTensor> onDevices;
  std::vector<ConstTensorView> arguments;
};

/// The outputs of a run. A run writes each of them to the caller's memory, or
/// to the memory of a device from which it is fetched.
class RunOutputs {
public:
  /// `tensors` must outlive the result and must not move.
  static StatusOr<RunOutputs> of(const RunTarget &target,
                                 std::span<HostTensor> tensors);

  std::span<const TensorView> views() const { return arguments; }
  /// Copies the outputs in the memory of devices to their tensors.
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
