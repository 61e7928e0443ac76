//===- PortNames.cpp - Inputs and outputs by name -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortNames.h"

#include "PortCheck.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <map>
#include <optional>

using namespace weir;

/// The views of `found` by position among `expected`.
template <typename View, typename Named>
static StatusOr<std::vector<std::optional<View>>>
placeByName(std::span<const TensorInfo> expected, std::span<const Named> found,
            std::string_view what) {
  std::map<std::string_view, size_t> positions;
  for (size_t i = 0; i < expected.size(); ++i)
    positions.emplace(expected[i].name, i);
  std::vector<std::optional<View>> placed(expected.size());
  for (const Named &named : found) {
    const auto at = positions.find(named.name);
    if (at == positions.end())
      return notFound(fmt::format("there is no {} '{}'; the {}s are {}", what,
                                  printable(named.name), what,
                                  describePorts(expected)));
    if (placed[at->second])
      return invalidArgument(
          fmt::format("{} '{}' is listed twice; list it once", what,
                      printable(named.name)));
    placed[at->second] = named.view;
  }
  return placed;
}

StatusOr<std::vector<ConstTensorView>>
weir::inputsByName(std::span<const TensorInfo> expected,
                   std::span<const NamedInput> found) {
  WEIR_ASSIGN_OR_RETURN(const auto placed,
                        placeByName<ConstTensorView>(expected, found, "input"));
  std::vector<ConstTensorView> views;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!placed[i] && expected[i].isRead)
      return invalidArgument(
          fmt::format("input '{}' is missing; the inputs are {}",
                      printable(expected[i].name), describePorts(expected)));
    views.push_back(placed[i].value_or(ConstTensorView{}));
  }
  return views;
}

StatusOr<std::vector<TensorView>> weir::outputsByName(
    std::span<const TensorInfo> expected, std::span<const NamedOutput> found,
    const std::function<StatusOr<DeviceTensor>(const TensorInfo &)> &allocate,
    std::vector<DeviceTensor> &dropped) {
  WEIR_ASSIGN_OR_RETURN(const auto placed,
                        placeByName<TensorView>(expected, found, "output"));
  std::vector<TensorView> views;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!placed[i]) {
      WEIR_ASSIGN_OR_RETURN(DeviceTensor tensor, allocate(expected[i]));
      dropped.push_back(std::move(tensor));
    }
    views.push_back(placed[i] ? *placed[i] : dropped.back().asOutput());
  }
  return views;
}
