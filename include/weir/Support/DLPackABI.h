//===- DLPackABI.h - The structs of DLPack ------------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What libraries exchange tensors as: the binary interface of DLPack 1.1, which
// https://github.com/dmlc/dlpack defines and
// https://dmlc.github.io/dlpack/latest/ describes. Names and layouts are those
// of its include/dlpack/dlpack.h. A program that has that header includes it in
// place of this one, or before it. For C11 and C++.
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

/// Structs of another major version have another layout, except for the members
/// up to `flags`.
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/// The kinds of devices that Weir tells apart. There are others.
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

/// The kinds of elements that Weir has. There are others.
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
  /// The number of values in an element; 1 but for vectors.
  uint16_t lanes;
} DLDataType;

typedef struct {
  /// May be null if there are no elements.
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  /// In elements. Null means row-major, up to version 1.1.
  int64_t *strides;
  /// The first element lies so many bytes behind `data`.
  uint64_t byte_offset;
} DLTensor;

/// A tensor that is lent. Who got it calls `deleter` once, unless that is null,
/// and does not use it afterwards.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  /// What the lender keeps for itself.
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

/// Flags: nobody may write to the tensor, and nobody else has its memory.
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/// The same since version 1.
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
