//===- Remarks.h - Remarks of a device for the user -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_REMARKS_H
#define WEIR_LIB_PLUGINS_CUDA_REMARKS_H

#include "weir/Runtime/Device.h"

#include <mutex>
#include <vector>

namespace weir {

/// Collects remarks for the user. Thread-safe.
class Remarks {
public:
  /// Adds `remark`, unless a remark with the same code was added before.
  void addFirst(DeviceNote remark);
  std::vector<DeviceNote> get() const;

private:
  mutable std::mutex mutex;
  std::vector<DeviceNote> all;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_REMARKS_H
