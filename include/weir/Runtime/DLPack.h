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
/// memory. The destruction of the last copy gives the memory back: it calls the
/// deleter of the DLPack tensor, on the thread on which it happens.
class ImportedTensor {
public:
  /// A tensor without memory, like a moved-from tensor. No run takes it.
  ImportedTensor() = default;

  const TensorDesc &desc() const { return description; }
  /// Whether the elements had to be copied, and the lender has its tensor back.
  bool isCopy() const { return copied; }

  /// The tensor as an argument. The view points into this object, which must
  /// not move while the view is used.
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
/// A row-major tensor is used where it lies. A tensor with other strides is
/// copied, and so is a tensor whose address is not a multiple of the size of an
/// element. If it is copied, this call calls the deleter. Strides may be
/// negative or 0.
///
/// It is an error if `managed` is null, has a later major version, is on
/// another device, has elements that no DType has (more than one lane, complex
/// numbers), has more than `maxTensorRank` dims or a negative dim, or is too
/// large. After an error, the tensor still belongs to the caller, and the
/// deleter was not called.
StatusOr<ImportedTensor> fromDLPack(DLManagedTensor *managed);
StatusOr<ImportedTensor> fromDLPack(DLManagedTensorVersioned *managed);

/// Lends `tensor` to another library, without a copy, as a struct that the
/// library frees by its deleter. Most libraries take DLManagedTensorVersioned.
/// Libraries from before DLPack 1 take only DLManagedTensor. The memory lives
/// as long as the struct, and needs no session.
///
/// It is an error if `tensor` is a moved-from tensor, or lies in the memory of
/// a device. `DeviceTensor::copyToHost` gives a tensor that can be lent. After
/// an error, `tensor` is as it was.
StatusOr<DLManagedTensor *> toDLPack(HostTensor &&tensor);
StatusOr<DLManagedTensor *> toDLPack(DeviceTensor &&tensor);
StatusOr<DLManagedTensorVersioned *> toDLPackVersioned(HostTensor &&tensor);
StatusOr<DLManagedTensorVersioned *> toDLPackVersioned(DeviceTensor &&tensor);

} // namespace weir

#endif // WEIR_RUNTIME_DLPACK_H
