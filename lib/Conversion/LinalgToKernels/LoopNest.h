//===- LoopNest.h - What a nest computes, and its loops ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A nest is planned in three steps. Each step has a type, which adds to the
// type of the step before. The types say what is computed (`Assignment`), which
// loops run through it (`LoopNest`), and which of their iterations are computed
// together (`ScheduledNest` in ScheduledNest.h).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPNEST_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPNEST_H

#include "AccessWalk.h"

namespace weir::kernels {

/// The elements of a box of a tensor, which are evaluated and stored in the
/// home of the same or another tensor. An assignment never changes.
class Assignment {
public:
  /// The way in which points contribute to an element.
  enum class Kind {
    /// Each element is one point.
    Elements,
    /// The points of a reduction are combined in registers, on the way.
    Reduction,
    /// The points of an op are combined with elements of `home` in memory,
    /// because loops cannot express which points contribute to an element.
    Accumulation,
    /// The running values of an op are stored at each point, in order.
    Scan
  };

  /// The assignment of all elements of `source` to `home`, from `offsets` on or
  /// from the first element on. `op` is the op whose points are combined.
  Assignment(mlir::Value home, mlir::Value source,
             llvm::ArrayRef<int64_t> offsets = {}, Kind kind = Kind::Elements,
             mlir::linalg::GenericOp op = {});
  /// This assignment, which also computes `reduction` on the way.
  Assignment fuse(mlir::linalg::GenericOp reduction) const;
  /// The part of this assignment for the elements in [begin, end) of dim `d`.
  Assignment cutOut(size_t d, int64_t begin, int64_t end) const;

  /// The tensor whose home is written.
  mlir::Value getHome() const { return home; }
  /// The tensor that is evaluated: `home`, or a part inserted into it.
  mlir::Value getSource() const { return source; }
  /// The place of the first element of `source` in `home`.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }
  /// The box of elements. It has all elements of `source`, or the elements that
  /// read one part of a concat.
  llvm::ArrayRef<int64_t> getBegins() const { return begins; }
  llvm::ArrayRef<int64_t> getExtents() const { return extents; }

  Kind getKind() const { return kind; }
  bool accumulates() const { return kind == Kind::Accumulation; }
  bool scans() const { return kind == Kind::Scan; }
  /// Whether the loops are the loops of `getOp`, and not the dims of `source`.
  bool hasOpLoops() const { return accumulates() || scans(); }
  /// The op whose points are combined; null if each element is one point.
  mlir::linalg::GenericOp getOp() const { return op; }
  /// The op if it is combined in registers, else null.
  mlir::linalg::GenericOp getReduction() const {
    return hasOpLoops() ? mlir::linalg::GenericOp() : op;
  }

  int64_t getElements() const;
  int64_t getPoints() const;
  /// Whether this assignment and `other` write no element of `home` in common.
  bool isDisjoint(const Assignment &other) const;

private:
  mlir::Value home, source;
  llvm::SmallVector<int64_t> offsets, begins, extents;
  Kind kind;
  mlir::linalg::GenericOp op;
};

/// The sizes of the reduction loops of `op`.
llvm::SmallVector<int64_t> getReductionSizes(mlir::linalg::GenericOp op);

/// One loop of a nest.
struct NestLoop {
  int symbol;
  int64_t size;
  bool isReduction;
  /// If the loop is one block of a task dim whose last block is shorter: the
  /// number of the task dim.
  std::optional<size_t> cutBy = std::nullopt;
};

/// The loops of all nests of a section that run through the same elements. A
/// task computes one block of their iterations.
struct TaskDim {
  /// The first index of a task's block.
  int symbol;
  int64_t size;
  int64_t block;

  int64_t getBlocks() const { return (size + block - 1) / block; }
};

/// The loops of an assignment: one loop per dim of its source, or per loop of
/// its op, and then the loops of the reduction. Loops of one iteration are left
/// out. The accesses of the nest follow from its indices, and are found again
/// when the indices change.
class LoopNest : public Assignment {
public:
  LoopNest(Assignment assignment, KernelPlan &plan);

  llvm::ArrayRef<NestLoop> getLoops() const { return loops; }
  /// The loop with that symbol, or null.
  const NestLoop *findLoop(int symbol) const;
  /// The indices of the source, or the loops of the op. They are sums of loops
  /// and numbers. If two loops were joined, the index of the inner dim goes on
  /// beyond the end of that dim.
  const Indices &getIndices() const { return indices; }
  /// The reduction's own loops.
  const Indices &getReductionLoops() const { return reductionLoops; }

  llvm::ArrayRef<Access> getReads() const { return reads.accesses; }
  /// The conditions under which elements come from inserted parts.
  llvm::ArrayRef<Guard> getInsertions() const { return reads.insertions; }
  /// Whether the nest reads elements at computed indices that are not in
  /// memory, and computes them one by one.
  bool computesLookups() const { return reads.computesLookups; }
  /// Whether elements are read under conditions. If the conditions do not
  /// hold, the nest reads other elements than `getReads` says, and ignores
  /// their values.
  bool hasConditions() const { return reads.hasConditions; }
  const Access &getWrite() const { return write; }
  /// The indices at which the result of the reduction is read.
  const Indices &getReductionResult() const { return reductionResult; }
  /// Whether the indices of all reads of the reduction's result are the same.
  /// Reads of one element can have different indices once loops are joined.
  bool readsOneResult() const { return hasOneResult; }

  /// Makes one loop of two. It has the symbol of `inner` and the product of the
  /// sizes; `outer` is removed.
  void join(KernelPlan &plan, int outer, int inner);
  /// Makes the loop `symbol` one block of `dim`, which is task dim `number`. A
  /// loop of one iteration is removed.
  void cut(KernelPlan &plan, int symbol, const TaskDim &dim, size_t number);
  /// Gives the loop `symbol` another symbol with the same values.
  void rename(KernelPlan &plan, int symbol, int name);

private:
  LinearIndex addLoop(Symbols &symbols, int64_t size, bool isReduction);
  void addLoops(Symbols &symbols);
  NestLoop &getLoop(int symbol);
  void replace(KernelPlan &plan, int symbol, const LinearIndex &by);
  void findAccesses(KernelPlan &plan);
  void findReductionReads(AccessWalk &walk);

  llvm::SmallVector<NestLoop> loops;
  Indices indices, reductionLoops;
  Reads reads;
  Access write;
  Indices reductionResult;
  bool hasOneResult = true;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPNEST_H
