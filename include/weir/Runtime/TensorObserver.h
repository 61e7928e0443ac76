//===- TensorObserver.h - Observes tensors during a run -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TENSOROBSERVER_H
#define WEIR_RUNTIME_TENSOROBSERVER_H

#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <string>

namespace weir {

/// A tensor of the model, and its place after a run.
struct PlanTensor {
  enum class Place {
    /// In memory once its launch is complete.
    Visible,
    /// Only inside of a launch that also computes other tensors.
    Inside,
    /// Computed or removed at compile time.
    Gone
  };
  std::string name;
  Place place = Place::Gone;
  /// The launch that computes it; empty if `place` is Gone.
  std::string device;
  std::string op;
  std::string kernel;
  /// The layout of the tensor's elements in memory, if `place` is Visible.
  TensorDesc desc;
  /// Whether this is another name of the visible tensor before it in the list.
  bool isAlias = false;
};

/// Receives the visible tensors of a run as they are computed. Runs with an
/// observer are slow.
class TensorObserver {
public:
  virtual ~TensorObserver() = default;

  /// Called when tensor `index` of `SessionEntry::tensors`, for the shape that
  /// runs, has been computed. `data` may be read until the call returns. The
  /// calls come from the threads of the devices, several at a time. An error
  /// fails the run.
  virtual Status observe(size_t index, const void *data) = 0;
};

} // namespace weir

#endif // WEIR_RUNTIME_TENSOROBSERVER_H
