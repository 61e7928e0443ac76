//===- CodeObjects.cpp - The generated code of an artifact ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CodeObjects.h"

#include <fmt/format.h>

using namespace weir;

static Status noCode() {
  return invalidArgument("the artifact has no code for a generated kernel");
}

StatusOr<WeirKernelFunction> CodeObjects::find(const GeneratedCode &code) {
  if (code.blob < 0)
    return noCode();
  if (code.threads > 0)
    return invalidArgument("its code is for GPUs, and the device runs code for "
                           "the CPU; compile the model again");
  std::unique_ptr<CodeObject> &object = objects[code.blob];
  if (!object) {
    const auto index = static_cast<uint32_t>(code.blob);
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<std::byte[]> bytes,
                          artifact.readBlob(index));
    WEIR_ASSIGN_OR_RETURN(
        object,
        CodeObject::load(
            {bytes.get(), artifact.model().blobs()->Get(index)->bytes()}));
  }
  if (code.function >= object->numFunctions())
    return dataLoss(
        fmt::format("it names function {} of generated code that has {}",
                    code.function, object->numFunctions()));
  return object->function(code.function);
}

StatusOr<std::span<const std::byte>>
CodeObjects::blob(const GeneratedCode &code) {
  if (code.blob < 0)
    return noCode();
  const auto index = static_cast<uint32_t>(code.blob);
  std::unique_ptr<std::byte[]> &bytes = blobs[code.blob];
  if (!bytes) {
    WEIR_ASSIGN_OR_RETURN(bytes, artifact.readBlob(index));
  }
  return std::span<const std::byte>(
      bytes.get(), artifact.model().blobs()->Get(index)->bytes());
}
