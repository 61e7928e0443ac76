//===- Value.h - A tensor of a graph that is being built -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_BUILDER_VALUE_H
#define WEIR_BUILDER_VALUE_H

#include "weir/Support/DType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

class GraphState;

/// Where the user's program calls the builder; errors name it.
using CallSite = std::source_location;

/// A tensor of a graph: an input, a parameter, or the result of an op. A handle
/// that is cheap to copy, and harmless when its graph is gone.
///
/// A default-constructed value stands for an optional operand that is left out.
/// What a failed call returns is used like any other value: what is built on it
/// fails silently, so that only causes are reported.
class Value {
public:
  Value() = default;

  /// Names the op that makes the value; reports and placement rules use it. An
  /// op has one name, which no other op, input or parameter has.
  Value named(std::string_view name, CallSite site = CallSite::current()) const;
  /// Asks for the op that makes the value to run on `device`, such as "cpu:0".
  Value on(std::string_view device, CallSite site = CallSite::current()) const;

  /// The element type; nothing for the result of a failed call.
  std::optional<DType> type() const;
  /// The dims, -1 where unknown; empty for the result of a failed call.
  std::vector<int64_t> dims() const;

private:
  friend class GraphState;
  Value(std::shared_ptr<GraphState> graph, void *impl)
      : graph(std::move(graph)), impl(impl) {}

  std::shared_ptr<GraphState> graph;
  /// Null for the result of a failed call.
  void *impl = nullptr;
};

/// The results of an op that has any number of them.
class Values {
public:
  /// The results `values`; beyond them stands `failed`.
  Values(std::vector<Value> values, Value failed)
      : values(std::move(values)), failed(std::move(failed)) {}

  /// Result `index`; the result of a failed call if there is none.
  Value operator[](size_t index) const {
    return index < values.size() ? values[index] : failed;
  }
  size_t size() const { return values.size(); }
  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }

private:
  std::vector<Value> values;
  Value failed;
};

} // namespace weir

#endif // WEIR_BUILDER_VALUE_H
