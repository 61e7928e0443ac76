//===- LaunchText.cpp - Describes launches in text --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/LaunchText.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

static std::string join(const std::vector<TensorDesc> &descs) {
  std::string text;
  for (const TensorDesc &desc : descs)
    text += (text.empty() ? "" : ", ") + desc.toString();
  return text;
}

std::string weir::describeShapes(const KernelSpec &spec) {
  return fmt::format("{} -> {}", join(spec.operands), join(spec.results));
}

uint64_t weir::countBytes(const KernelSpec &spec) {
  uint64_t bytes = 0;
  for (const auto *descs : {&spec.operands, &spec.results})
    for (const TensorDesc &desc : *descs)
      bytes += desc.spanBytes();
  return bytes;
}

std::string weir::describeLaunch(const StepInfo &info,
                                 std::string_view device) {
  return fmt::format("op '{}' on {}: kernel '{}' ({})", printable(info.op),
                     device, printable(info.spec->name),
                     describeShapes(*info.spec));
}
