//===- PortCheck.cpp - Do buffers fit the inputs and outputs? -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortCheck.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;

static std::string listOf(std::span<const TensorInfo> ports) {
  std::string list;
  for (const TensorInfo &port : ports)
    list += fmt::format("{}'{}' {}", list.empty() ? "" : ", ", port.name,
                        port.desc.toString());
  return list.empty() ? "none" : list;
}

template <typename View>
static Status checkPort(const TensorInfo &expected, const View &found,
                        std::string_view what) {
  if (found.type != expected.desc.type ||
      !std::equal(found.dims.begin(), found.dims.end(),
                  expected.desc.dims.begin(), expected.desc.dims.end()))
    return invalidArgument(fmt::format(
        "{} '{}': expected {}, found {}", what, expected.name,
        expected.desc.toString(),
        TensorDesc::rowMajor(found.type, {found.dims.begin(), found.dims.end()})
            .toString()));
  const size_t needed = expected.desc.spanBytes();
  if (found.bytes < needed)
    return invalidArgument(
        fmt::format("{} '{}': expected a buffer of {} bytes, found {} bytes",
                    what, expected.name, needed, found.bytes));
  if (needed && !found.data)
    return invalidArgument(
        fmt::format("{} '{}': expected a buffer, found a null pointer", what,
                    expected.name));
  return Status::ok();
}

template <typename View>
static Status checkPorts(std::span<const TensorInfo> expected,
                         std::span<const View> found, std::string_view what) {
  if (found.size() != expected.size())
    return invalidArgument(fmt::format("expected {} {}s ({}), found {}",
                                       expected.size(), what, listOf(expected),
                                       found.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    WEIR_RETURN_IF_ERROR(checkPort(expected[i], found[i], what));
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
