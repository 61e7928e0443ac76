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

#include <map>
#include <memory>

namespace weir {

/// The shared objects among the blobs of an artifact. Each is loaded when a
/// kernel first needs it.
class CodeObjects {
public:
  /// `artifact` must exist while kernels are prepared.
  explicit CodeObjects(const artifact::Artifact &artifact)
      : artifact(artifact) {}

  StatusOr<WeirKernelFunction> find(const GeneratedCode &code);

private:
  const artifact::Artifact &artifact;
  std::map<int64_t, std::unique_ptr<CodeObject>> objects;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_CODE_CODEOBJECTS_H
