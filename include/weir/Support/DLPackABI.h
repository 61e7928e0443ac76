//===- DLPackABI.h - The structs of DLPack ------------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The binary interface of DLPack 1.1, by which libraries exchange tensors.
// https://github.com/dmlc/dlpack defines it, and
// https://dmlc.github.io/dlpack/latest/ describes it. Names and layouts are
// those of its include/dlpack/dlpack.h. A program that has that header includes
// it in place of this one, or before it. This header works in C11 and C++.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DLPACKABI_H
#define WEIR_SUPPORT_DLPACKABI_H

// The guard of DLPack's own header.
#ifndef DLPACK_DLPACK_H_

#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// The version of DLPack that a tensor's struct has. If `major` differs from
/// the version of this header, only the members up to `flags` have the layout
/// below.
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/// The kinds of devices that Weir distinguishes. DLPack has more.
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

/// The kinds of elements that Weir has. DLPack has more.
typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
} DLDataTypeCode;

typedef struct {
  /// A DLDataTypeCode.
  uint8_t code;
  /// Bits of one lane.
  uint8_t bits;
  /// The number of values in an element. It is 1 except for vectors.
  uint16_t lanes;
} DLDataType;

typedef struct {
  /// May be null if there are no elements.
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  /// The strides in elements. Up to version 1.1, null means row-major.
  int64_t *strides;
  /// The offset of the first element from `data`, in bytes.
  uint64_t byte_offset;
} DLTensor;

/// A tensor that is lent. The borrower calls `deleter` once, unless it is null,
/// and does not use the tensor afterwards.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  /// Private data of the lender.
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

/// Flags. READ_ONLY: nobody may write to the tensor. IS_COPIED: nobody else
/// uses its memory.
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/// A tensor that is lent, since version 1.
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DLPACK_DLPACK_H_

#endif // WEIR_SUPPORT_DLPACKABI_H
