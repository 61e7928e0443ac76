//===- IndexChecks.h - Checks that indices are in range ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code clamps an index that is out of range, so that no input makes
// it read outside of a tensor. The reference kernel of a scatter skips an
// update with such an index. These checks come before the code runs, and report
// such an index as an error. One pass over the indices costs little compared
// with the elements that they select.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/IndexCheckAttrs.h"

namespace weir::cpu {

/// The checks of a kernel's operands with indices.
class IndexChecks {
public:
  /// Reads the checks from the attributes of `spec`
  /// (weir/Support/IndexCheckAttrs.h).
  static StatusOr<IndexChecks> read(const KernelSpec &spec);

  bool isEmpty() const { return checks.empty(); }

  /// Returns an error for the first index that is out of range. Allocates
  /// nothing otherwise.
  Status run(void *const *buffers) const;

  /// Elements at constant distances.
  struct Dim {
    int64_t count;
    int64_t stride;
  };

private:
  /// Indices that all refer to the same dim.
  struct Check {
    size_t operand;
    DType type;
    /// The offset in elements from the start of the operand.
    int64_t offset;
    /// The dims of the indices, the outermost first. Contiguous dims are
    /// merged.
    std::vector<Dim> dims;
    IndexRange range;
    std::string op;
  };

  Status add(const KernelSpec &spec, const IndexCheck &check);

  std::vector<Check> checks;
};

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_INDEXCHECKS_H
