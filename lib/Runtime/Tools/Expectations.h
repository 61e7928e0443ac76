//===- Expectations.h - The outputs that a run should have ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_EXPECTATIONS_H
#define WEIR_LIB_RUNTIME_TOOLS_EXPECTATIONS_H

#include "Comparison.h"

#include "weir/Runtime/Session.h"
#include "weir/Support/FileUses.h"

#include <span>
#include <string>
#include <vector>

namespace weir {

/// The values of --expect.
class Expectations {
public:
  /// Reads the files of `arguments`, "NAME=FILE". It is an error if a tensor
  /// cannot be compared with the output NAME among `ports`.
  static StatusOr<Expectations> read(std::span<const std::string> arguments,
                                     std::span<const TensorInfo> ports);

  bool isEmpty() const { return all.empty(); }
  /// Adds the files that were read to `uses`.
  void addFiles(std::span<const TensorInfo> ports, FileUses &uses) const;
  /// Compares `outputs`, one for each of `ports`. Prints a table for each
  /// output that differs. Returns an error if there is such an output.
  Status compare(std::span<const TensorInfo> ports,
                 std::span<const HostTensor> outputs,
                 const Tolerance &tolerance) const;

private:
  struct Expectation {
    size_t port;
    std::string file;
    HostTensor values;
  };
  std::vector<Expectation> all;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_EXPECTATIONS_H
