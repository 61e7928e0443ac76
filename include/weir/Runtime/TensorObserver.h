//===- TensorObserver.h - Looking at tensors inside of a run --------------===//
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

/// A tensor of the model, and where a run leaves it.
struct PlanTensor {
  enum class Place {
    /// In memory, when its launch is done.
    Visible,
    /// Only inside of a launch, which computes more than it.
    Inside,
    /// Computed or left out at compile time.
    Gone
  };
  std::string name;
  Place place = Place::Gone;
  /// What launch leaves it or holds it inside; empty for one that is gone.
  std::string device;
  std::string op;
  std::string kernel;
  /// Its elements in memory. Of a visible one.
  TensorDesc desc;
  /// Another name of the visible tensor in front of it.
  bool isAlias = false;
};

/// Sees the visible tensors of a run as they are computed. Runs are slow while
/// somebody looks.
class TensorObserver {
public:
  virtual ~TensorObserver() = default;

  /// Tensor `index` of `Session::tensors()` has been computed and lies at
  /// `data`, which may be read until the call returns. Called on the threads of
  /// the devices, several at a time. An error fails the run.
  virtual Status observe(size_t index, const void *data) = 0;
};

} // namespace weir

#endif // WEIR_RUNTIME_TENSOROBSERVER_H
