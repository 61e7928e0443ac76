//===- dlpack.h - Tensors from and for other libraries, in C ------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// NumPy, PyTorch, JAX and others lend each other tensors as structs of DLPack.
// weir/Support/DLPackABI.h declares these structs, as DLPack's own header does.
// The rules of weir.h about errors, ownership, threads and compatibility apply
// here too.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_DLPACK_H
#define WEIR_C_DLPACK_H

#include "weir/C/weir.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/// A row-major tensor of another library in the host's memory.
typedef struct weir_imported_tensor weir_imported_tensor;

/// Takes over a tensor that another library lends, in the CPU's memory. Nobody
/// may write to it until `weir_imported_tensor_free` gives it back by calling
/// its deleter.
///
/// A row-major tensor is used where it lies. A tensor with other strides is
/// copied, and so is a tensor whose address is not a multiple of the size of an
/// element. If it is copied, this call calls the deleter. Strides may be
/// negative or 0.
///
/// It is an error if the tensor is on another device, has another version of
/// DLPack or more than 16 dims, or if no weir_dtype has its element type. The
/// tensor then still belongs to the caller, and the deleter was not called.
weir_status weir_import_dlpack(struct DLManagedTensor *managed,
                               weir_imported_tensor **tensor);
weir_status
weir_import_dlpack_versioned(struct DLManagedTensorVersioned *managed,
                             weir_imported_tensor **tensor);

/// Whether the elements were copied; false for a null tensor.
bool weir_imported_tensor_is_copy(const weir_imported_tensor *tensor);

/// Sets `*view` to a view of the tensor, which can be an input of runs or the
/// new value of a variable. Nothing may be written through the view. It is
/// valid until the tensor is freed.
weir_status weir_imported_tensor_view(const weir_imported_tensor *tensor,
                                      weir_tensor *view);

/// Frees the tensor. No run may use it.
void weir_imported_tensor_free(weir_imported_tensor *tensor);

/// Lends `tensor` to another library, without a copy, as a struct that the
/// library frees by its deleter. Most libraries take DLManagedTensorVersioned.
/// Libraries from before DLPack 1 take only DLManagedTensor.
///
/// The call frees `tensor`, which must not be used or freed afterwards. Its
/// memory lives as long as the struct. A tensor in the memory of a device is an
/// error. After an error, `tensor` still belongs to the caller.
weir_status weir_device_tensor_to_dlpack(weir_device_tensor *tensor,
                                         struct DLManagedTensor **managed);
weir_status weir_device_tensor_to_dlpack_versioned(
    weir_device_tensor *tensor, struct DLManagedTensorVersioned **managed);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WEIR_C_DLPACK_H
