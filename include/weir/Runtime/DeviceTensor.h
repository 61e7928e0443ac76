//===- DeviceTensor.h - A tensor in the memory of a device ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Inputs and outputs of a model may lie in the memory of a device
// (`graph-compile --port-space`). The caller then holds them as follows, and
// the output of one run can be the input of the next without a copy:
//
//   auto image = session->allocate(session->inputs()[0]);
//   auto scores = session->allocate(session->outputs()[0]);
//   image->copyFromHost(pixels);
//   ConstTensorView inputs[] = {image->asInput()};
//   TensorView outputs[] = {scores->asOutput()};
//   session->run(inputs, outputs);
//   scores->copyToHost();
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICETENSOR_H
#define WEIR_RUNTIME_DEVICETENSOR_H

#include "weir/Runtime/Tensor.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <memory>

namespace weir {

class DeviceMemory;

/// A row-major tensor that owns its memory, in one memory space. The space may
/// be the host's memory, so that a program can treat all inputs and outputs
/// alike.
///
/// It keeps its device open and may outlive the session that allocated it. All
/// entries and sessions that use the device can use the tensor. Sessions share
/// devices if their artifacts have the same list of devices, and if they are
/// loaded with the same threads, pinned or not, and without an observer.
class DeviceTensor {
public:
  DeviceTensor(DeviceTensor &&other) noexcept;
  DeviceTensor &operator=(DeviceTensor &&other) noexcept;
  ~DeviceTensor();

  const TensorDesc &desc() const { return description; }
  MemorySpace space() const;

  /// The tensor as an argument of a run. The views point into the tensor, and
  /// stay valid when it is moved. A moved-from tensor has no memory.
  ConstTensorView asInput() const;
  TensorView asOutput();

  /// Sets all elements. `from` has the type and shape of this tensor and lies
  /// in the host's memory. Returns when the copy is complete. Until the call
  /// returns, no run may use the tensor.
  Status copyFromHost(const ConstTensorView &from);
  Status copyFromHost(const HostTensor &from);

  /// Copies all elements to `to`, which has the type and shape of this tensor
  /// and lies in the host's memory. Returns when the copy is complete.
  Status copyToHost(const TensorView &to) const;
  StatusOr<HostTensor> copyToHost() const;

private:
  friend class SessionState;
  DeviceTensor(std::shared_ptr<Device> device,
               std::unique_ptr<DeviceMemory> memory, TensorDesc description);
  /// Keeps the memory from being freed in a forked process, which does not have
  /// the device.
  void leaveInForkedChild() noexcept;

  /// Null for the host's memory. It outlives `memory`.
  std::shared_ptr<Device> device;
  std::unique_ptr<DeviceMemory> memory;
  TensorDesc description;
};

} // namespace weir

#endif // WEIR_RUNTIME_DEVICETENSOR_H
