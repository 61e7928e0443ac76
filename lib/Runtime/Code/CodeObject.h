//===- CodeObject.h - A shared object of generated kernels ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_CODE_CODEOBJECT_H
#define WEIR_LIB_RUNTIME_CODE_CODEOBJECT_H

#include "weir/Artifact/KernelABI.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace weir {

/// The symbol of the table of kernels.
inline constexpr std::string_view kernelTableName = "weir_kernels";

/// A loaded shared object. The system's loader loads it, so debuggers and
/// profilers show its functions by name.
class CodeObject {
public:
  /// Loads a copy of `bytes`. Returns an error if `bytes` are not a shared
  /// object of generated kernels for this processor.
  static StatusOr<std::unique_ptr<CodeObject>>
  load(std::span<const std::byte> bytes);
  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  uint32_t numFunctions() const { return table->count; }
  /// `index` must be below numFunctions().
  WeirKernelFunction function(uint32_t index) const {
    return reinterpret_cast<const WeirKernelFunction *>(table + 1)[index];
  }

private:
  CodeObject() = default;
  Status open(std::span<const std::byte> bytes);

  /// The file stays open while the object is loaded. Otherwise another file
  /// could get the same number and so the same path. The loader would then take
  /// that file for this one.
  int file = -1;
  void *handle = nullptr;
  const WeirKernelTable *table = nullptr;
};

/// Checks that the system can load `bytes` without harm:
/// - they have the headers of a shared object for this processor,
/// - the object depends on no library,
/// - all its segments are inside of `bytes`, and none is both writable and
///   executable,
/// - no code runs while the object is loaded.
Status checkSharedObject(std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_CODE_CODEOBJECT_H
