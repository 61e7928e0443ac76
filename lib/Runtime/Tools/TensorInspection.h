//===- TensorInspection.h - Looks at the tensors of a run -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_TENSORINSPECTION_H
#define WEIR_LIB_RUNTIME_TOOLS_TENSORINSPECTION_H

#include "RunTarget.h"
#include "TensorCompare.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/HostTensor.h"

#include <atomic>
#include <span>
#include <string>

namespace weir {

/// Writes the tensors of a run to files, or compares them with files, as
/// --dump-tensors and --compare-with ask.
class TensorInspection final : public TensorObserver {
public:
  /// An empty folder means that the flag is not given.
  TensorInspection(std::string dumpFolder, const std::string &compareFolder,
                   Tolerance tolerance)
      : dumpFolder(std::move(dumpFolder)), compares(!compareFolder.empty()),
        comparer(compareFolder, tolerance) {}

  bool isWanted() const { return compares || !dumpFolder.empty(); }

  /// Prepares for a run of `from`, which outlives this object. The tensors
  /// that the session shows from now on are looked at.
  Status begin(const RunTarget &from);
  /// Notes the files that are read and written.
  void noteFiles(FileUses &uses) const;
  /// Ends the run. Tensors that are shown later are not looked at.
  Status end(std::span<const HostTensor> inputs,
             std::span<const HostTensor> outputs);
  bool isLooking() const { return looking; }
  /// Prints what was found to standard error. Returns an error if tensors
  /// differ.
  Status report() const;

private:
  Status observe(size_t index, const void *data) override;
  Status dump(const PlanTensor &tensor, const void *data) const;
  std::string dumpPath(const PlanTensor &tensor) const;

  std::string dumpFolder;
  bool compares;
  TensorCompare comparer;
  const RunTarget *target = nullptr;
  std::atomic<bool> looking{false};
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TENSORINSPECTION_H
