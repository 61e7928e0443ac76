//===- CodeObjects.cpp - The generated code of an artifact ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CodeObjects.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<WeirKernelFunction> CodeObjects::find(const GeneratedCode &code) {
  if (code.blob < 0)
    return invalidArgument("the artifact has no code for a generated kernel");
  std::unique_ptr<CodeObject> &object = objects[code.blob];
  if (!object) {
    WEIR_ASSIGN_OR_RETURN(object, CodeObject::load(artifact.blob(
                                      static_cast<size_t>(code.blob))));
  }
  if (code.function >= object->numFunctions())
    return dataLoss(
        fmt::format("it names function {} of generated code that has {}",
                    code.function, object->numFunctions()));
  return object->function(code.function);
}
