//===- KernelRow.h - Which kernel serves an op ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_KERNELROW_H
#define WEIR_SUPPORT_KERNELROW_H

#include <string>
#include <vector>

namespace weir {

/// A library kernel that serves an op.
struct KernelRow {
  /// The devices that have the kernel, as `DeviceKindInfo::kernels` names them.
  std::string device;
  std::string kernel;
  /// The element types of operand 0 that the kernel takes.
  std::vector<std::string> types;
  /// "name=value" for each parameter that the kernel gets in addition to the
  /// attributes.
  std::vector<std::string> params;
  /// Whether the kernel supports epilogues. Its `check` says which epilogues.
  bool acceptsPostOps = false;
};

/// A kernel row that belongs to a device kind, and not to the record of the op.
struct OpKernelRow {
  /// The name of the op without its dialect: "max_pool".
  std::string op;
  KernelRow row;
};

} // namespace weir

#endif // WEIR_SUPPORT_KERNELROW_H
