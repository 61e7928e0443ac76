//===- AttrMap.h - Named attribute values, without MLIR -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The attributes of an op in the form that the runtime and index specs use. The
// compiler converts an op's attributes to this form, the artifact stores it,
// and kernels read it at load.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_ATTRMAP_H
#define WEIR_SUPPORT_ATTRMAP_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

/// An attribute value: one or more integers (including booleans), one or more
/// floats, or a text. A scalar is a list of length one.
using AttrValue =
    std::variant<std::vector<int64_t>, std::vector<double>, std::string>;

/// Attribute values by name, in the order of their names.
class AttrMap {
public:
  void set(std::string name, AttrValue value) {
    values.insert_or_assign(std::move(name), std::move(value));
  }
  bool has(std::string_view name) const { return values.count(name) != 0; }

  /// The attribute as a list of integers; empty if it is absent or of another
  /// kind.
  const std::vector<int64_t> &ints(std::string_view name) const;
  /// The attribute as a list of floats; empty if it is absent or of another
  /// kind.
  const std::vector<double> &floats(std::string_view name) const;
  /// The first integer of the attribute, or `fallback` if there is none.
  int64_t intOr(std::string_view name, int64_t fallback) const;
  /// The first number (float or integer) of the attribute, or `fallback`.
  double floatOr(std::string_view name, double fallback) const;
  /// The text of the attribute, or `fallback` if it is absent or not a text.
  std::string_view textOr(std::string_view name,
                          std::string_view fallback) const;

  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }
  size_t size() const { return values.size(); }
  bool operator==(const AttrMap &) const = default;

private:
  std::map<std::string, AttrValue, std::less<>> values;
};

} // namespace weir

#endif // WEIR_SUPPORT_ATTRMAP_H
