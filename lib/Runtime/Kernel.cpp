//===- Kernel.cpp - What the executor knows about a kernel ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Kernel.h"

using namespace weir;

StatusOr<WeirKernelFunction>
PrepareContext::generatedFunction(const GeneratedCode &) {
  return unimplemented("only sessions can run generated code");
}

StatusOr<std::span<const std::byte>>
PrepareContext::codeBlob(const GeneratedCode &) {
  return unimplemented("only sessions can run generated code");
}
