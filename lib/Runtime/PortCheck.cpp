//===- PortCheck.cpp - Checks buffers for inputs and outputs ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortCheck.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

using namespace weir;

std::string weir::describePorts(std::span<const TensorInfo> ports) {
  std::string list;
  for (const TensorInfo &port : ports)
    list += fmt::format("{}'{}' {}", list.empty() ? "" : ", ",
                        printable(port.name), port.desc.toString());
  return list.empty() ? "none" : list;
}

template <typename View>
static Status checkPort(const TensorInfo &expected, const View &found) {
  if (!expected.isRead && !found.data)
    return Status::ok();
  if (found.type != expected.desc.type ||
      !std::equal(found.dims.begin(), found.dims.end(),
                  expected.desc.dims.begin(), expected.desc.dims.end()))
    return invalidArgument(fmt::format(
        "expected {}, found {}", expected.desc.toString(),
        TensorDesc::rowMajor(found.type, {found.dims.begin(), found.dims.end()})
            .toString()));
  const size_t needed = expected.desc.spanBytes();
  if (found.bytes < needed)
    return invalidArgument(fmt::format(
        "expected a buffer of {} bytes, found {} bytes", needed, found.bytes));
  if (needed && !found.data)
    return invalidArgument("expected a buffer, found a null pointer");
  const size_t alignment = byteSize(expected.desc.type);
  if (reinterpret_cast<uintptr_t>(found.data) % alignment != 0)
    return invalidArgument(fmt::format(
        "expected a buffer at a multiple of {} bytes, found one at {}",
        alignment, fmt::ptr(found.data)));
  return Status::ok();
}

template <typename View>
static Status checkPorts(std::span<const TensorInfo> expected,
                         std::span<const View> found, std::string_view what) {
  if (found.size() != expected.size())
    return invalidArgument(fmt::format("expected {} {}s ({}), found {}",
                                       expected.size(), what,
                                       describePorts(expected), found.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    if (Status status = checkPort(expected[i], found[i]); !status.isOk())
      return std::move(status).withContext(
          fmt::format("{} '{}'", what, printable(expected[i].name)));
  return Status::ok();
}

Status weir::checkInputs(std::span<const TensorInfo> expected,
                         std::span<const ConstTensorView> found) {
  return checkPorts(expected, found, "input");
}

Status weir::checkOutputs(std::span<const TensorInfo> expected,
                          std::span<const TensorView> found) {
  return checkPorts(expected, found, "output");
}
