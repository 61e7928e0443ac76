//===- DLPack.h - Tensors from and for other libraries ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// NumPy, PyTorch, JAX and others lend each other tensors as the structs of
// DLPack. weir/Support/DLPackABI.h has these.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DLPACK_H
#define WEIR_RUNTIME_DLPACK_H

#include "weir/Runtime/DeviceTensor.h"
#include "weir/Runtime/Tensor.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <memory>
#include <utility>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace weir {

/// A row-major tensor of another library in the host's memory, as an input of
/// runs or as a value for a variable. Made by `fromDLPack`. Copies share the
/// memory. The last one gives it back: it calls the deleter of the DLPack
/// tensor, on its own thread.
class ImportedTensor {
public:
  /// A tensor without memory, such as a moved-from one is. No run takes it.
  ImportedTensor() = default;

  const TensorDesc &desc() const { return description; }
  /// Whether the elements had to be copied, and the lender has them back.
  bool isCopy() const { return copied; }

  /// The tensor as an argument. The view points into this object, which must
  /// stay where it is meanwhile.
  ConstTensorView asInput() const;

private:
  template <typename Managed> friend class Importer;
  ImportedTensor(TensorDesc description, std::shared_ptr<const void> memory,
                 bool copied)
      : description(std::move(description)), memory(std::move(memory)),
        copied(copied) {}

  TensorDesc description;
  std::shared_ptr<const void> memory;
  bool copied = false;
};

/// Takes over a tensor that another library lends, in the CPU's memory
/// (kDLCPU). Nobody may write to it before it is given back.
///
/// A row-major tensor is used where it lies. One with other strides, or whose
/// address is no multiple of the size of an element, is copied: then this call
/// calls the deleter. Strides may be negative or 0.
///
/// It is an error if `managed` is null, of a later major version, on another
/// device, of elements that no DType has (more than one lane, complex numbers),
/// of more than `maxTensorRank` dims, of a negative dim, or too large. Then the
/// tensor still belongs to the caller, and the deleter was not called.
StatusOr<ImportedTensor> fromDLPack(DLManagedTensor *managed);
StatusOr<ImportedTensor> fromDLPack(DLManagedTensorVersioned *managed);

/// Lends `tensor` to another library, without a copy, as a struct that the
/// library frees by its deleter. Most take DLManagedTensorVersioned; those from
/// before DLPack 1 only take DLManagedTensor. The memory lives as long as the
/// struct, and needs no session.
///
/// It is an error if the tensor was moved to another one, or lies in the memory
/// of a device: `DeviceTensor::copyToHost` gives one that can be lent. Then
/// `tensor` is as it was.
StatusOr<DLManagedTensor *> toDLPack(HostTensor &&tensor);
StatusOr<DLManagedTensor *> toDLPack(DeviceTensor &&tensor);
StatusOr<DLManagedTensorVersioned *> toDLPackVersioned(HostTensor &&tensor);
StatusOr<DLManagedTensorVersioned *> toDLPackVersioned(DeviceTensor &&tensor);

} // namespace weir

#endif // WEIR_RUNTIME_DLPACK_H
