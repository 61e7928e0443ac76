//===- DLPackCalls.cpp - The C API's functions for DLPack -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "TensorStructs.h"
#include "weir/C/dlpack.h"

#include <utility>

using namespace weir;
using namespace weir::c;

template <typename Managed>
static Status import(Managed *managed, weir_imported_tensor **tensor) {
  WEIR_RETURN_IF_ERROR(checkNotNull(managed, "managed"));
  WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
  // The handle comes first. If there is no memory for it, the tensor still
  // belongs to the lender, so its deleter must not be called.
  auto handle = std::make_unique<weir_imported_tensor>();
  WEIR_ASSIGN_OR_RETURN(handle->tensor, fromDLPack(managed));
  *tensor = handle.release();
  return Status::ok();
}

weir_status weir_import_dlpack(DLManagedTensor *managed,
                               weir_imported_tensor **tensor) {
  return runCall("weir_import_dlpack", [&] { return import(managed, tensor); });
}

weir_status weir_import_dlpack_versioned(DLManagedTensorVersioned *managed,
                                         weir_imported_tensor **tensor) {
  return runCall("weir_import_dlpack_versioned",
                 [&] { return import(managed, tensor); });
}

bool weir_imported_tensor_is_copy(const weir_imported_tensor *tensor) {
  return tensor && tensor->tensor.isCopy();
}

weir_status weir_imported_tensor_view(const weir_imported_tensor *tensor,
                                      weir_tensor *view) {
  return runCall("weir_imported_tensor_view", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
    WEIR_RETURN_IF_ERROR(checkNotNull(view, "view"));
    const ConstTensorView found = tensor->tensor.asInput();
    // A weir_tensor may be an input, and inputs are never written.
    writeTensor({found.type, found.dims, const_cast<void *>(found.data),
                 found.bytes, found.space},
                view);
    return Status::ok();
  });
}

void weir_imported_tensor_free(weir_imported_tensor *tensor) { delete tensor; }

/// Converts the tensor by `convert`, and frees its handle.
template <typename Managed, typename Convert>
static Status lend(weir_device_tensor *tensor, Managed **managed,
                   Convert convert) {
  WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
  WEIR_RETURN_IF_ERROR(checkNotNull(managed, "managed"));
  WEIR_ASSIGN_OR_RETURN(*managed, convert(std::move(tensor->tensor)));
  delete tensor;
  return Status::ok();
}

weir_status weir_device_tensor_to_dlpack(weir_device_tensor *tensor,
                                         DLManagedTensor **managed) {
  return runCall("weir_device_tensor_to_dlpack", [&] {
    return lend(tensor, managed,
                [](DeviceTensor &&from) { return toDLPack(std::move(from)); });
  });
}

weir_status
weir_device_tensor_to_dlpack_versioned(weir_device_tensor *tensor,
                                       DLManagedTensorVersioned **managed) {
  return runCall("weir_device_tensor_to_dlpack_versioned", [&] {
    return lend(tensor, managed, [](DeviceTensor &&from) {
      return toDLPackVersioned(std::move(from));
    });
  });
}
