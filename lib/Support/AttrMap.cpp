//===- AttrMap.cpp - Named attribute values, without MLIR -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/AttrMap.h"

using namespace weir;

namespace {
/// The value of the attribute `name`. Null if there is none of type T.
template <typename T, typename Map>
const T *find(const Map &values, std::string_view name) {
  auto it = values.find(name);
  return it == values.end() ? nullptr : std::get_if<T>(&it->second);
}
} // namespace

const std::vector<int64_t> &AttrMap::ints(std::string_view name) const {
  static const std::vector<int64_t> none;
  const auto *list = find<std::vector<int64_t>>(values, name);
  return list ? *list : none;
}

const std::vector<double> &AttrMap::floats(std::string_view name) const {
  static const std::vector<double> none;
  const auto *list = find<std::vector<double>>(values, name);
  return list ? *list : none;
}

int64_t AttrMap::intOr(std::string_view name, int64_t fallback) const {
  const std::vector<int64_t> &list = ints(name);
  return list.empty() ? fallback : list.front();
}

double AttrMap::floatOr(std::string_view name, double fallback) const {
  const std::vector<double> &list = floats(name);
  if (!list.empty())
    return list.front();
  const std::vector<int64_t> &integers = ints(name);
  return integers.empty() ? fallback : static_cast<double>(integers.front());
}

std::string_view AttrMap::textOr(std::string_view name,
                                 std::string_view fallback) const {
  const auto *text = find<std::string>(values, name);
  return text ? std::string_view(*text) : fallback;
}
