//===- RunTarget.h - Which shape of an entry graph-run runs ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_RUNTARGET_H
#define WEIR_LIB_RUNTIME_TOOLS_RUNTARGET_H

#include "TensorArguments.h"
#include "weir/Runtime/Session.h"

#include <string>
#include <utility>

namespace weir {

/// An entry with one of its shapes.
class RunTarget {
public:
  /// Finds the shape of `entry` that `shapes`, the arguments of --shape, and
  /// the files among `inputs` ask for. If several shapes fit, takes the first
  /// one.
  static StatusOr<RunTarget> choose(Session &session, SessionEntry entry,
                                    std::span<const std::string> shapes,
                                    const InputArguments &inputs);

  Session &session() const { return *owner; }
  std::span<const TensorInfo> inputs() const { return entry.inputs(shape); }
  std::span<const TensorInfo> outputs() const { return entry.outputs(shape); }
  std::span<const PlanTensor> tensors() const { return entry.tensors(shape); }
  std::vector<LaunchInfo> launches() const { return entry.launches(shape); }
  std::span<const uint64_t> groups() const { return entry.groups(shape); }

  /// "main", or "main[x:8x3]" if the entry has several shapes.
  std::string name() const;
  /// The shapes that fit, if there were several: "x:1x3, x:8x3". Else empty.
  const std::string &alternatives() const { return otherShapes; }

  Status run(std::span<const ConstTensorView> from,
             std::span<const TensorView> to,
             const RunOptions &options = {}) const {
    return entry.run(from, to, options);
  }

private:
  RunTarget(Session &session, SessionEntry entry)
      : owner(&session), entry(entry) {}

  Session *owner;
  SessionEntry entry;
  size_t shape = 0;
  std::string otherShapes;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_RUNTARGET_H
