//===- CodeObject.h - A shared object of generated kernels ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_CODEOBJECT_H
#define WEIR_LIB_RUNTIME_CODEOBJECT_H

#include "weir/Artifact/KernelABI.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>

namespace weir {

/// A loaded shared object. It is loaded by the system's loader, so debuggers
/// and profilers see its functions by their names.
class CodeObject {
public:
  /// Loads a copy of `bytes`. What is no shared object of generated kernels for
  /// this processor is refused.
  static StatusOr<std::unique_ptr<CodeObject>>
  load(std::span<const std::byte> bytes);
  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  uint32_t numFunctions() const { return table->count; }
  /// `index` is below numFunctions().
  WeirKernelFunction function(uint32_t index) const {
    return reinterpret_cast<const WeirKernelFunction *>(table + 1)[index];
  }

private:
  CodeObject() = default;
  Status open(std::span<const std::byte> bytes);

  /// Kept open as long as the object is loaded: another file under the same
  /// number would be taken for this one.
  int file = -1;
  void *handle = nullptr;
  const WeirKernelTable *table = nullptr;
};

/// Ok if `bytes` has the headers of a shared object that needs nothing, for
/// this processor, and every part of it that is loaded lies inside of it.
Status checkSharedObject(std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_CODEOBJECT_H
