//===- CodeObjects.h - The generated code of an artifact --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_CODE_CODEOBJECTS_H
#define WEIR_LIB_RUNTIME_CODE_CODEOBJECTS_H

#include "CodeObject.h"

#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Kernel.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>

namespace weir {

/// The generated code among the blobs of an artifact. A blob is read when a
/// kernel first needs it. Code for CPUs is a shared object, and is loaded, too.
class CodeObjects {
public:
  /// `artifact` must exist while kernels are prepared.
  explicit CodeObjects(const artifact::Artifact &artifact)
      : artifact(artifact) {}

  StatusOr<WeirKernelFunction> find(const GeneratedCode &code);
  /// The bytes of the blob with `code`. They are valid as long as this object
  /// exists.
  StatusOr<std::span<const std::byte>> blob(const GeneratedCode &code);

private:
  const artifact::Artifact &artifact;
  std::map<int64_t, std::unique_ptr<CodeObject>> objects;
  /// The blobs with code that devices load themselves.
  std::map<int64_t, std::unique_ptr<std::byte[]>> blobs;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_CODE_CODEOBJECTS_H
