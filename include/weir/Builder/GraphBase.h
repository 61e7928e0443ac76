//===- GraphBase.h - The base of the graph builder's ops --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The methods for ops are generated from the op records. Each is one call of
// `addOp`, so nothing in this file and below it knows any op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_BUILDER_GRAPHBASE_H
#define WEIR_BUILDER_GRAPHBASE_H

#include "weir/Builder/Value.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace weir {

/// A value for an operand of an op.
struct OpOperand {
  const char *name;
  Value value;
  bool isOptional = false;
};

/// A value for an attribute of an op.
struct OpAttribute {
  const char *name;
  std::variant<bool, int64_t, double, DType, std::string, std::vector<int64_t>>
      value;
};

/// Owns the graph and adds ops to it by name. A moved-from graph can be
/// assigned to. All its other methods fail.
class GraphBase {
public:
  GraphBase(GraphBase &&) noexcept = default;
  GraphBase &operator=(GraphBase &&) noexcept = default;
  ~GraphBase();

protected:
  GraphBase(std::string_view name, CallSite site);

  /// Adds the op called `op`, as in "weir.name", and infers its results. An
  /// error is kept for `status`, and all results are then like the results of a
  /// failed call.
  Values addOp(std::string_view op, const std::vector<OpOperand> &operands,
               const std::vector<OpAttribute> &attributes, CallSite site);
  /// One operand called `name` for each of `values`.
  static std::vector<OpOperand> manyOperands(const char *name,
                                             const std::vector<Value> &values);

  /// Begins a call. `what` is the op or method in errors of this call.
  void beginCall(std::string_view what, CallSite site);

  /// The state of the graph. It is null in a moved-from graph until the next
  /// call.
  std::shared_ptr<GraphState> state;

private:
  friend class DeviceScope;
};

/// While the scope lives, all ops added to `graph` are annotated with `device`.
/// Scopes nest and the innermost one applies. Value::on overrides them.
class DeviceScope {
public:
  DeviceScope(GraphBase &graph, std::string_view device,
              CallSite site = CallSite::current());
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

private:
  std::shared_ptr<GraphState> state;
};

} // namespace weir

#endif // WEIR_BUILDER_GRAPHBASE_H
