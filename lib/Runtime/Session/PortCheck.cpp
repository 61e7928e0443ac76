//===- PortCheck.cpp - Checks buffers for inputs and outputs ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortCheck.h"

#include "weir/Support/Counted.h"
#include "weir/Support/PerThread.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <utility>
#include <vector>

using namespace weir;

std::string weir::describePorts(std::span<const TensorInfo> ports) {
  std::string list;
  for (const TensorInfo &port : ports)
    list += fmt::format("{}'{}' {}", list.empty() ? "" : ", ",
                        printable(port.name), port.desc.toString());
  return list.empty() ? "none" : list;
}

static std::string describe(MemorySpace space) {
  return space.isHost() ? "the host's memory"
                        : fmt::format("the memory of {}", space.deviceName());
}

/// The error for a tensor in the space `found` instead of `expected`.
static Status refuseSpace(MemorySpace expected, MemorySpace found) {
  if (expected.deviceName() == found.deviceName())
    return invalidArgument(fmt::format(
        "expected a tensor in {} as this session has it open, found one of a "
        "session that has opened the device for itself; allocate the tensor "
        "with this session, or load both sessions with the same devices and "
        "options and without observers",
        describe(expected)));
  const std::string_view repair =
      expected.isHost()
          ? "copy the tensor to a buffer of the host, and pass that; or, for "
            "an input or output, compile the model with it in the memory of "
            "that device"
          : "pass a tensor that was allocated with this session, and copy to "
            "or from it";
  return invalidArgument(
      fmt::format("expected a tensor in {}, found one in {}; {}",
                  describe(expected), describe(found), repair));
}

template <typename View>
static Status checkPort(const TensorInfo &expected, const View &found) {
  if (!expected.isRead && !found.data)
    return Status::ok();
  if (!found.data && found.bytes == 0 && found.dims.empty()) [[unlikely]]
    return invalidArgument(fmt::format(
        "expected {}, found a view without memory, such as that of a tensor "
        "which was moved to another one; pass that one, or a new tensor",
        expected.desc.toString()));
  if (found.space != expected.space) [[unlikely]]
    return refuseSpace(expected.space, found.space);
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
  const size_t alignment =
      std::max(byteSize(expected.desc.type), expected.space.alignment());
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
    return invalidArgument(fmt::format("expected {} ({}), found {}",
                                       counted(expected.size(), what),
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

Status weir::checkHostSide(const ConstTensorView &tensor,
                           const ConstTensorView &host) {
  if (!tensor.data && tensor.bytes == 0 && tensor.dims.empty())
    return invalidArgument(
        "the DeviceTensor has no memory, since it was moved to "
        "another one; use that one, or allocate a new one");
  return checkPort({{},
                    TensorDesc::rowMajor(
                        tensor.type, {tensor.dims.begin(), tensor.dims.end()})},
                   host);
}

Status weir::checkVariableValue(const TensorInfo &expected,
                                const ConstTensorView &found) {
  return checkPort(expected, found)
      .withContext(fmt::format("variable '{}'", printable(expected.name)));
}

namespace {
/// The bytes of an input or output.
struct PortBytes {
  uintptr_t begin, end;
  const TensorInfo *info;
  bool isOutput;
};
} // namespace

template <typename View>
static void addBytes(std::span<const TensorInfo> infos,
                     std::span<const View> views, bool isOutput,
                     PortBytes *&next) {
  for (size_t i = 0; i < views.size(); ++i) {
    const auto begin = reinterpret_cast<uintptr_t>(views[i].data);
    const size_t bytes = infos[i].desc.spanBytes();
    if (infos[i].isRead && bytes)
      *next++ = {begin, begin + bytes, &infos[i], isOutput};
  }
}

/// Refuses `next` if it begins before the end of `earlier`.
static Status checkApart(const PortBytes *earlier, const PortBytes &next) {
  if (!earlier || earlier->end <= next.begin)
    return Status::ok();
  const PortBytes &output = next.isOutput ? next : *earlier;
  const PortBytes &other = next.isOutput ? *earlier : next;
  return invalidArgument(fmt::format(
      "output '{}' overlaps {} '{}' in memory; give each a buffer of its own",
      printable(output.info->name), other.isOutput ? "output" : "input",
      printable(other.info->name)));
}

/// Refuses overlaps among `ports`, which are ordered by address.
static Status checkOrdered(std::span<const PortBytes> ports) {
  // The input that ends last so far, and the output that ends last so far.
  const PortBytes *lastInput = nullptr, *lastOutput = nullptr;
  for (const PortBytes &port : ports) {
    WEIR_RETURN_IF_ERROR(checkApart(lastOutput, port));
    if (port.isOutput)
      WEIR_RETURN_IF_ERROR(checkApart(lastInput, port));
    const PortBytes *&last = port.isOutput ? lastOutput : lastInput;
    if (!last || last->end < port.end)
      last = &port;
  }
  return Status::ok();
}

/// Refuses overlaps among `ports` within each memory space. Equal addresses in
/// two spaces are two places.
static Status checkEachSpace(std::span<PortBytes> ports) {
  std::ranges::sort(ports, {}, [](const PortBytes &port) {
    return std::pair(port.info->space, port.begin);
  });
  while (!ports.empty()) {
    const auto other = std::ranges::find_if(ports, [&](const PortBytes &port) {
      return port.info->space != ports.front().info->space;
    });
    const auto count = static_cast<size_t>(other - ports.begin());
    WEIR_RETURN_IF_ERROR(checkOrdered(ports.first(count)));
    ports = ports.subspan(count);
  }
  return Status::ok();
}

Status weir::checkOverlaps(std::span<const TensorInfo> inputInfos,
                           std::span<const ConstTensorView> inputs,
                           std::span<const TensorInfo> outputInfos,
                           std::span<const TensorView> outputs) {
  // If there are more ports than fit into `few`, the first run of a thread
  // allocates.
  using Kept = PerThread<std::vector<PortBytes>, PortBytes>;
  std::vector<PortBytes> own;
  std::array<PortBytes, 64> few;
  PortBytes *begin = few.data();
  if (const size_t count = inputs.size() + outputs.size(); count > few.size()) {
    std::vector<PortBytes> *kept = Kept::find();
    std::vector<PortBytes> &many = kept ? *kept : own;
    many.resize(std::max(many.size(), count));
    begin = many.data();
  }
  PortBytes *end = begin;
  addBytes(inputInfos, inputs, /*isOutput=*/false, end);
  addBytes(outputInfos, outputs, /*isOutput=*/true, end);
  const std::span<PortBytes> all(begin, end);
  std::ranges::sort(all, {}, &PortBytes::begin);
  if (!checkOrdered(all).isOk()) [[unlikely]]
    return checkEachSpace(all);
  return Status::ok();
}
