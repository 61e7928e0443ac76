//===- GpuTasks.h - How a kernel is split into blocks -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// On a GPU, a task is a block of threads. A section of one nest is spread: its
// points are numbered, and each thread of the whole launch computes one. A
// section of several nests, such as a softmax, has a block for a few rows. The
// threads of a block compute one nest after the other, with barriers between
// nests. A nest finds the values of earlier nests in shared memory. A short row
// is a task of one warp, which keeps all these values in registers.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUTASKS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUTASKS_H

#include "PointEmitter.h"
#include "Tasks.h"

namespace weir::kernels {

/// The threads of a warp, which exchange registers.
inline constexpr int64_t warpThreads = 32;
/// The most threads of a block.
inline constexpr int64_t mostThreads = 256;
/// The bytes of shared memory that every block may have.
inline constexpr int64_t mostSharedBytes = 48 << 10;
/// The bytes of shared memory in which the warps of a block combine values of
/// at most 8 bytes: one of each warp, or one of each thread for columns.
inline constexpr int64_t combineBytes = mostThreads / warpThreads * 8;
inline constexpr int64_t combineColumnBytes = mostThreads * 8;

/// Takes the nests of `plan`, chooses blocks and vectors for them, and rewrites
/// homes accordingly.
std::vector<Section> planBlocks(KernelPlan &plan);

/// Whether the points of `section` are divided among all blocks.
bool isSpread(const Section &section);

/// The bytes of shared memory that `tensor` takes.
int64_t getSharedBytes(mlir::Value tensor, const Home &home);
/// The bytes that all tensors of `section` take together.
int64_t getSharedBytes(const KernelPlan &plan, const Section &section);

/// The loops of `nest` that threads share, outermost first, without the loop of
/// the vectors. Iterations of such loops never write the same element.
llvm::SmallVector<NestLoop> getSharedLoops(const KernelPlan &plan,
                                           const ScheduledNest &nest);

/// The number of points, or vectors of points, that threads share.
int64_t getItems(const KernelPlan &plan, const ScheduledNest &nest);

/// The number of strips of the reduction loops.
int64_t getReducedItems(const ScheduledNest &nest);

/// The threads that compute one point together.
int64_t getUnitThreads(const Schedule &schedule);

/// The number of threads of a block that have work in `nest`.
int64_t getWantedThreads(const KernelPlan &plan, const ScheduledNest &nest);

/// The factors of the task dims of `section` and of `lanes`.
Factors getFactors(const Section &section, std::optional<Lanes> lanes);

/// If the rows of `section` are short, makes each row a task of one warp. Then
/// every thread keeps its elements of all tensors in registers.
bool divideByWarps(KernelPlan &plan, Section &section);

/// The number of warps of a block that compute rows of `section`.
int64_t getRowWarps(const Section &section);

/// Makes vectors of the strips of rows that are tasks of warps, unless the
/// accesses of one nest forbid it.
void chooseRowVectors(KernelPlan &plan, Section &section);

/// Whether all accesses of `nest` along `loop` may be vectors of `lanes`.
bool canBeVectors(const KernelPlan &plan, const Section &section,
                  const LoopNest &nest, Lanes lanes);

/// Chooses the vectors of `nest`. `group` computes one result of the nest. The
/// vectors are aligned accesses of up to 16 bytes to neighbours.
std::optional<Lanes> chooseGpuLanes(const KernelPlan &plan,
                                    const Section &section,
                                    const LoopNest &nest,
                                    const std::optional<ThreadGroup> &group);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUTASKS_H
