//===- DeviceTensorCalls.cpp - The C API's functions for device tensors ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "TensorStructs.h"

using namespace weir;
using namespace weir::c;

static Status allocate(const weir_entry *entry, size_t shape, size_t index,
                       bool isOutput, weir_device_tensor **tensor) {
  WEIR_ASSIGN_OR_RETURN(const TensorInfo *port,
                        findPort(entry, shape, index, isOutput));
  WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
  WEIR_ASSIGN_OR_RETURN(DeviceTensor allocated,
                        entry->session->allocate(*port));
  *tensor = new weir_device_tensor{std::move(allocated)};
  return Status::ok();
}

weir_status weir_entry_allocate_input(const weir_entry *entry, size_t shape,
                                      size_t index,
                                      weir_device_tensor **tensor) {
  return runCall("weir_entry_allocate_input", [&] {
    return allocate(entry, shape, index, /*isOutput=*/false, tensor);
  });
}

weir_status weir_entry_allocate_output(const weir_entry *entry, size_t shape,
                                       size_t index,
                                       weir_device_tensor **tensor) {
  return runCall("weir_entry_allocate_output", [&] {
    return allocate(entry, shape, index, /*isOutput=*/true, tensor);
  });
}

weir_status weir_device_tensor_view(weir_device_tensor *tensor,
                                    weir_tensor *view) {
  return runCall("weir_device_tensor_view", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
    WEIR_RETURN_IF_ERROR(checkNotNull(view, "view"));
    writeTensor(tensor->tensor.asOutput(), view);
    return Status::ok();
  });
}

weir_status weir_device_tensor_copy_from(weir_device_tensor *tensor,
                                         const weir_tensor *host) {
  return runCall("weir_device_tensor_copy_from", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
    WEIR_RETURN_IF_ERROR(checkNotNull(host, "host"));
    WEIR_RETURN_IF_ERROR(checkTensor(*host));
    return tensor->tensor.copyFromHost(viewOf<ConstTensorView>(*host));
  });
}

weir_status weir_device_tensor_copy_to(const weir_device_tensor *tensor,
                                       const weir_tensor *host) {
  return runCall("weir_device_tensor_copy_to", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(tensor, "tensor"));
    WEIR_RETURN_IF_ERROR(checkNotNull(host, "host"));
    WEIR_RETURN_IF_ERROR(checkTensor(*host));
    return tensor->tensor.copyToHost(viewOf<TensorView>(*host));
  });
}

void weir_device_tensor_free(weir_device_tensor *tensor) { delete tensor; }
