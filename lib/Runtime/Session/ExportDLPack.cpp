//===- ExportDLPack.cpp - Tensors for other libraries -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DLPack.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/HostView.h"
#include "weir/Support/DLPackABI.h"

#include <fmt/format.h>
#include <memory>
#include <type_traits>

using namespace weir;

static DLDataType toDLDataType(DType type) {
  const auto bits = static_cast<uint8_t>(8 * byteSize(type));
  if (type == DType::I1)
    return {kDLBool, bits, 1};
  if (type == DType::BF16)
    return {kDLBfloat, bits, 1};
  if (isFloat(type))
    return {kDLFloat, bits, 1};
  return {static_cast<uint8_t>(isUnsigned(type) ? kDLUInt : kDLInt), bits, 1};
}

static TensorView viewOf(HostTensor &tensor) { return view(tensor); }
static TensorView viewOf(DeviceTensor &tensor) { return tensor.asOutput(); }

namespace {
/// A struct of DLPack, with the tensor that the struct lends.
template <typename Managed, typename Tensor> struct Lent {
  explicit Lent(Tensor &&from) : desc(from.desc()), tensor(std::move(from)) {
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
      managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed.dl_tensor = {.data = desc.numElements() == 0 ? nullptr
                                                         : viewOf(tensor).data,
                         .device = {kDLCPU, 0},
                         .ndim = static_cast<int32_t>(desc.rank()),
                         .dtype = toDLDataType(desc.type),
                         .shape = desc.dims.data(),
                         .strides = desc.strides.data(),
                         .byte_offset = 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) {
      delete static_cast<Lent *>(self->manager_ctx);
    };
  }

  /// The shape and the strides. DLPack wants them in writable memory.
  TensorDesc desc;
  Tensor tensor;
  Managed managed = {};
};
} // namespace

template <typename Managed, typename Tensor>
static StatusOr<Managed *> lend(Tensor &tensor) {
  return guarded("toDLPack", [&]() -> StatusOr<Managed *> {
    const TensorView found = viewOf(tensor);
    if (!found.data)
      return invalidArgument("the tensor has no memory, since it was moved to "
                             "another one; pass that one");
    if (!found.space.isHost())
      return unimplemented(
          fmt::format("the tensor lies in the memory of {}; copy it to the "
                      "host first",
                      found.space.deviceName()));
    auto lent = std::make_unique<Lent<Managed, Tensor>>(std::move(tensor));
    return &lent.release()->managed;
  });
}

StatusOr<DLManagedTensor *> weir::toDLPack(HostTensor &&tensor) {
  return lend<DLManagedTensor>(tensor);
}

StatusOr<DLManagedTensor *> weir::toDLPack(DeviceTensor &&tensor) {
  return lend<DLManagedTensor>(tensor);
}

StatusOr<DLManagedTensorVersioned *>
weir::toDLPackVersioned(HostTensor &&tensor) {
  return lend<DLManagedTensorVersioned>(tensor);
}

StatusOr<DLManagedTensorVersioned *>
weir::toDLPackVersioned(DeviceTensor &&tensor) {
  return lend<DLManagedTensorVersioned>(tensor);
}
