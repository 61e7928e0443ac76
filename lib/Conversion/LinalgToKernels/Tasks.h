//===- Tasks.h - How a kernel is split into tasks ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A task runs all nests of a section for a part of the results: a row of a
// softmax, or a block of a pointwise expression. So what one nest stores for
// the next is still in cache, and scratch holds only that part. How the results
// are divided depends only on the cluster, and never on who runs the tasks.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_TASKS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_TASKS_H

#include "KernelPlan.h"
#include "ScheduledNest.h"

namespace weir::kernels {

/// The elements of a row, which all nests of a section run through.
struct WarpRow {
  /// The symbol of the loops along the row.
  int symbol;
  int64_t size;
  /// The neighbours that a thread computes at a time.
  int64_t strip;
  /// Whether the strip is a vector.
  bool isVector = false;
};

/// Nests of a phase that share their tasks.
struct Section {
  int phase = 0;
  std::vector<ScheduledNest> nests;
  llvm::SmallVector<TaskDim> dims;
  /// The row that a warp of a GPU computes, if each task is such a row.
  std::optional<WarpRow> warpRow;

  int64_t getTasks() const;
};

/// Takes the nests of `plan` and sorts them into sections. If `joinsRows`,
/// nests that write parts of the same rows are in one section, even if no nest
/// needs the result of another.
std::vector<Section> makeSections(KernelPlan &plan, bool joinsRows);

/// Takes the nests of `plan`, chooses vectors of `vectorBits` and tasks for
/// them, and rewrites homes accordingly.
std::vector<Section> planTasks(KernelPlan &plan, int64_t vectorBits);

/// Chooses the vectors of `nest` for which its accesses cost the least.
Schedule chooseVectors(const KernelPlan &plan, const LoopNest &nest,
                       int64_t mostLanes);

/// The distance by which the address of `access` moves with `symbol`, in
/// elements.
int64_t getStep(const KernelPlan &plan, const Access &access, int symbol);
/// Whether the address of `access` depends on a quotient or remainder of
/// `symbol`. If the access has no tensor, this is about its indices.
bool isFolded(const KernelPlan &plan, const Access &access, int symbol);
/// Whether the address of `access` depends on a computed index that varies with
/// `symbol`. If the access has no tensor, this is about its indices.
bool isComputed(const KernelPlan &plan, const Access &access, int symbol);
/// Whether each iteration of `symbol` moves the address of `access` by the same
/// step. If the access has no tensor: whether its indices do not depend on
/// `symbol`.
bool isStraight(const KernelPlan &plan, const Access &access, int symbol);

/// Estimated nanoseconds of `nest`, on one thread.
double estimateTime(const KernelPlan &plan, const ScheduledNest &nest);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_TASKS_H
