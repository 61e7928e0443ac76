//===- TensorCompare.h - Finds the first tensor that differs --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_TENSORCOMPARE_H
#define WEIR_LIB_RUNTIME_TOOLS_TENSORCOMPARE_H

#include "Comparison.h"
#include "RunTarget.h"
#include "StoredTensors.h"

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// Compares the tensors of a run with the tensors of a folder, and finds the
/// first tensor that differs.
class TensorCompare {
public:
  TensorCompare(std::string folder, Tolerance tolerance)
      : folder(std::move(folder)), tolerance(tolerance) {}

  /// Finds the tensor of each file by name. It is an error if no file has the
  /// name of a tensor, or if a shape or type does not match.
  Status open(const RunTarget &target);

  /// The files of the folder that are compared.
  std::vector<std::string> files() const;

  /// Compares tensor `index` of the session. Thread-safe for different tensors.
  Status compare(size_t index, const void *data);
  /// Compares the inputs and outputs of a run.
  Status comparePorts(const RunTarget &target,
                      std::span<const HostTensor> inputs,
                      std::span<const HostTensor> outputs);

  /// A table of what is equal, what differs first and by how much, and what
  /// could not be compared.
  std::string report() const;
  /// Returns an error that names the first tensor that differs, if there is
  /// one. It is also an error if nothing was compared.
  Status status() const;

private:
  struct Row {
    PlanTensor tensor;
    /// Empty if no file has the name.
    std::string path;
    std::optional<Comparison> result;
  };
  enum class Kind { Input, Output };

  Status match(const StoredTensors &stored);
  Status check(const Row &row) const;
  Status compareInto(Row &row, const HostTensor &found) const;
  void addPorts(std::span<const TensorInfo> ports, Kind kind);
  std::vector<const Row *> comparedRows() const;
  std::string describeLeftOut() const;

  std::string folder;
  Tolerance tolerance;
  /// A line for each file that belongs to no tensor of the model.
  std::string unknownFiles;
  /// Inputs, the plan's tensors, outputs.
  std::vector<Row> rows;
  size_t numInputs = 0;
  size_t numTensors = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TENSORCOMPARE_H
