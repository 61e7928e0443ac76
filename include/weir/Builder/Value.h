//===- Value.h - A tensor of a graph under construction ---------*- C++ -*-===//
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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

class GraphState;

/// The place in the user's program that calls the builder; errors name it.
using CallSite = std::source_location;

/// A tensor of a graph: an input, a parameter, or the result of an op. It is a
/// handle, cheap to copy and safe to hold after its graph is gone.
///
/// A default-constructed value stands for an optional operand that is left out.
/// The result of a failed call can be used like any other value. Calls that use
/// it fail silently, so that only the first cause is reported.
class Value {
public:
  Value() = default;

  /// Names the op that computes the value, for reports and placement rules. No
  /// other op or input of its entry, and no parameter, may have the name.
  Value named(std::string_view name, CallSite site = CallSite::current()) const;
  /// Annotates the op that computes the value with `device`, such as "cpu:0".
  Value on(std::string_view device, CallSite site = CallSite::current()) const;

  /// The element type; nothing for the result of a failed call.
  std::optional<DType> type() const;
  /// The dims, -1 where unknown; empty for the result of a failed call.
  std::vector<int64_t> dims() const;

private:
  friend class GraphState;
  friend class Values;
  Value(std::shared_ptr<GraphState> graph, void *impl)
      : graph(std::move(graph)), impl(impl) {}

  std::shared_ptr<GraphState> graph;
  /// Null for the result of a failed call.
  void *impl = nullptr;
};

/// The results of an op that can have any number of results.
class Values {
public:
  /// The results of `call`, which errors name. After a failed call, `values` is
  /// empty.
  Values(std::vector<Value> values, Value failed, std::string call)
      : values(std::move(values)), failed(std::move(failed)),
        call(std::move(call)) {}

  /// Result `index`. If it does not exist, the graph records an error.
  Value operator[](size_t index) const {
    return index < values.size() ? values[index] : missing(index);
  }
  size_t size() const { return values.size(); }
  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }

private:
  Value missing(size_t index) const;

  std::vector<Value> values;
  Value failed;
  std::string call;
};

} // namespace weir

#endif // WEIR_BUILDER_VALUE_H
