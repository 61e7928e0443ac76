//===- IndexChecks.h - Are the indices of a kernel in range? ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code moves an index that is out of range to the nearest element, so
// that no input makes it read elsewhere, and the reference kernels of a scatter
// leave its update out. Here such an index is an error, before the code runs.
// One pass over the indices costs little beside the elements that they pick.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H

#include "weir/Runtime/Kernel.h"

namespace weir::cpu {

/// What holds of those operands of a kernel that hold indices.
class IndexChecks {
public:
  /// The checks in the attributes of `spec` (weir/Support/IndexChecks.h).
  static StatusOr<IndexChecks> read(const KernelSpec &spec);

  bool isEmpty() const { return checks.empty(); }

  /// An error for the first index that is out of range. Allocates nothing
  /// before that.
  Status run(void *const *buffers) const;

  /// Elements at equal distances.
  struct Dim {
    int64_t count;
    int64_t stride;
  };

private:
  /// Indices that all index the same dim.
  struct Check {
    size_t operand;
    DType type;
    /// In elements from the start of the operand.
    int64_t offset;
    /// Outermost first; no two are like one.
    std::vector<Dim> dims;
    int64_t size;
    std::string op;
  };

  Status add(const KernelSpec &spec, std::span<const int64_t> sizes,
             int64_t operand, std::string_view op);

  std::vector<Check> checks;
};

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H
