//===- KernelPlan.h - What a kernel keeps in memory, and in which order ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A kernel is a list of loop nests. A loop nest evaluates one tensor at each of
// its elements and stores it in its home: a result or a thread's scratch. Homes
// are given to results, to reductions that no nest can compute on its way, and
// to tensors that are cheaper to store than to evaluate again for each reader.
// All other tensors are evaluated where they are read, in registers.
//
// A nest that needs what all tasks of another nest compute is in a later phase
// (Phases.cpp). A phase is a launch. Tensors that later phases read are in
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H

#include "LinearIndex.h"
#include "SplitReductions.h"
#include "TensorOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

namespace weir::kernels {

/// Memory that holds a tensor.
struct Home {
  /// Shared: memory in which a tensor is kept for later phases.
  enum class Kind { Operand, Result, Shared, Scratch, Constant };
  Kind kind;
  /// The index of the operand, the result or the shared tensor.
  unsigned number = 0;
  /// The strides, in elements. `layOutScratch` sets those of scratch.
  llvm::SmallVector<int64_t> strides;
  /// The dims of which scratch holds only one task's block: for each, the
  /// symbol of the block's begin, and the block's size.
  std::map<size_t, std::pair<int, int64_t>> blocks = {};
  /// What is added to every address.
  LinearIndex origin = {};
  /// The number of elements in memory from the first to the last.
  int64_t extent = 0;
};

/// One loop of a nest.
struct NestLoop {
  int symbol;
  int64_t size;
  bool isReduction;
  /// If the loop is one block of a task dim and the last block is shorter: the
  /// number of that dim; else -1.
  int cutBy = -1;
};

/// An element of memory that a nest reads or writes. An access without a tensor
/// stands for indices whose values the nest uses.
struct Access {
  mlir::Value tensor;
  Indices indices;
  /// Whether the element is used only where conditions hold, and another one
  /// may be accessed where they do not.
  bool isConditional = false;
};

struct LoopNest {
  /// The tensor whose home is written.
  mlir::Value home;
  /// What is evaluated at each point: `home`, or a part inserted into it.
  mlir::Value source;
  /// Nests of a phase run after all nests of earlier phases.
  int phase = 0;
  /// Where in `home` the elements of `source` go.
  llvm::SmallVector<int64_t> offsets;
  /// The box of elements of `source` that is evaluated: all of them, or those
  /// that read one part of a concat.
  llvm::SmallVector<int64_t> begins, extents;
  /// The reduction that is computed in registers on the way, or null.
  mlir::linalg::GenericOp reduction;
  /// Whether each point is combined with an element of `home` in memory,
  /// because loops cannot express which points contribute to an element.
  bool accumulates = false;
  /// Whether `source` is a scan: running values are stored at each point of its
  /// loop, in order.
  bool scans = false;

  /// The loops: one per dim of `source` (of the op if it accumulates or scans),
  /// then the reduction's. Loops of one iteration are left out.
  llvm::SmallVector<NestLoop> loops;
  /// The indices of `source` (the loops of the op if it accumulates or scans),
  /// which are sums of loops and numbers. Where `collapse` has joined loops,
  /// the index of the inner dim counts on beyond it.
  Indices at;
  /// The reduction's own loops.
  Indices reductionLoops;

  // What follows from the indices. `KernelPlan::collectAccesses` sets it anew
  // whenever they change.

  /// Where the reduction's result is read.
  Indices reductionAt;
  /// What is read, and what is written.
  llvm::SmallVector<Access> reads;
  Access write;
  /// Whether the nest reads elements at computed indices that are not in
  /// memory, and computes them one by one.
  bool computesLookups = false;
  /// Whether elements are read under conditions. Where these do not hold, the
  /// nest reads other elements than `reads` says, and ignores their values.
  bool hasConditions = false;

  /// The loop whose neighbouring iterations are the lanes of a vector, or -1,
  /// and the number of lanes.
  int lane = -1;
  int64_t lanes = 1;
  /// The loop of which `unroll` iterations are computed together, or -1.
  int unrolled = -1;
  int64_t unroll = 1;
  /// Whether neighbours along `unrolled` are loaded as vectors and transposed.
  bool transposes = false;
  /// Whether the lanes of the `unroll` vectors are written alternately, because
  /// neighbours along `unrolled` are adjacent in memory.
  bool interleaves = false;

  /// Which threads of a GPU compute one element.
  /// - Thread: each thread computes its own.
  /// - Warp, Block: the threads of a warp, or of a whole block, compute one
  ///   together. This is for long reductions.
  /// - Columns: each thread of a warp has one of several neighbouring elements,
  ///   and the warps of a block compute the same ones together.
  enum class Group { Thread, Warp, Block, Columns };
  Group group = Group::Thread;
  /// If `group` is not Thread: the loop of which each thread combines `strip`
  /// neighbouring iterations at a time; or -1.
  int stripLoop = -1;
  int64_t strip = 1;

  /// The number of elements of `source` that are evaluated.
  int64_t getElements() const;
  NestLoop *findLoop(int symbol);
  bool isReductionLane();
};

class AccessWalk;
class Evaluations;

/// How kernels are planned for a kind of machine.
struct PlanRules {
  SplitRules splits;
  /// What it costs to store and load an element of a window, in simple
  /// operations. Neighbouring points share elements of windows.
  int64_t windowCost;
  /// Whether what windows read is stored in a phase of its own. In the phase of
  /// the windows, only one task could store it.
  bool storesWindowsFirst;
};

class KernelPlan {
public:
  /// The most nests that one is cut into, and the most parts of a tensor that
  /// are read under conditions, so that code stays short.
  static constexpr size_t mostParts = 64;

  /// The plan of `function`, whose operands and results lie in memory of types
  /// `operands` and `results`.
  KernelPlan(mlir::func::FuncOp function,
             llvm::ArrayRef<mlir::MemRefType> operands,
             llvm::ArrayRef<mlir::MemRefType> results, const PlanRules &rules);

  std::vector<LoopNest> nests;
  int numPhases = 1;
  llvm::MapVector<mlir::Value, Home> homes;
  /// The tensors that later phases read, by number.
  llvm::SmallVector<mlir::Value> shared;
  Symbols symbols;

  /// The strides of `tensor` in memory, if it has a home or is a reshape of a
  /// tensor that has one. Sets `base` to the tensor with the home.
  std::optional<llvm::SmallVector<int64_t>> getStrides(mlir::Value tensor,
                                                       mlir::Value &base) const;
  /// The strides that `tensor` has, or would have if it were stored. The order
  /// of dims is that of an operand. The strides are the same whether the
  /// operands are computed in this kernel or before it.
  llvm::ArrayRef<int64_t> getOwnStrides(mlir::Value tensor) const {
    return ownStrides.find(tensor)->second;
  }
  /// Where the element at `at` lies in memory with `strides`, from its origin
  /// on, in elements.
  LinearIndex getAddress(llvm::ArrayRef<int64_t> strides,
                         llvm::ArrayRef<LinearIndex> at) const;
  /// The same for `access`, from the first element of its home on. Its tensor
  /// has strides.
  LinearIndex getAddress(const Access &access) const;
  /// Sets the strides of scratch, once tasks are known.
  void layOutScratch();
  /// Replaces the loop `symbol` in all indices of `nest` by `by`.
  void replaceLoop(LoopNest &nest, int symbol, const LinearIndex &by);
  /// The number of points of `nest`.
  int64_t getPoints(const LoopNest &nest) const;
  /// The cost of evaluating one element of `tensor`.
  int64_t getCost(mlir::Value tensor) const { return costs.lookup(tensor); }

private:
  void addOperands(llvm::ArrayRef<mlir::MemRefType> types);
  void addConstants();
  void addResults(llvm::ArrayRef<mlir::MemRefType> types);
  mlir::Value findResultHome(mlir::Value value,
                             llvm::SmallVectorImpl<int64_t> &strides);
  void addCosts();
  void addOwnStrides();
  void decide(mlir::Operation *op, Evaluations &evaluations);
  bool needsHome(mlir::Operation *op, Evaluations &evaluations);
  bool fuseReduction(mlir::linalg::GenericOp op, Evaluations &evaluations);
  void addNests(mlir::Value home, Evaluations &evaluations);
  LoopNest makeNest(mlir::Value home, mlir::Value source,
                    llvm::ArrayRef<int64_t> offsets) const;
  Indices makeLoops(llvm::ArrayRef<int64_t> sizes, bool isReduction,
                    llvm::SmallVectorImpl<NestLoop> &loops);
  void addLoops(LoopNest &nest);
  llvm::SmallVector<Guard> collectAccesses(LoopNest &nest);
  void collectReduction(LoopNest &nest, AccessWalk &walk);
  void splitNest(LoopNest nest, std::vector<LoopNest> &parts);
  void addPhases();
  void share();

  mlir::func::FuncOp function;
  const PlanRules &rules;
  llvm::DenseMap<mlir::Value, int64_t> costs;
  TensorStrides ownStrides;
  /// The partial results of reductions over tiles.
  llvm::DenseSet<mlir::Value> partials;
};

/// Finds everything that a nest reads. Follows tensors without a home to their
/// operands.
class AccessWalk {
public:
  AccessWalk(const KernelPlan &plan, Symbols &symbols,
             llvm::SmallVectorImpl<Access> &accesses)
      : plan(plan), symbols(symbols), accesses(accesses) {}

  /// A reduction whose result is recorded as read and not followed.
  mlir::Operation *stop = nullptr;
  /// Whether tensors without a home are followed, or recorded as read.
  bool follows = true;
  /// Whether what is visited is used only where conditions hold.
  bool isConditional = false;
  /// Set if a tensor that is read at computed indices is not in memory.
  bool computesLookups = false;
  /// Set if something is read under conditions.
  bool hasConditions = false;
  /// The conditions under which elements come from inserted parts.
  llvm::SmallVector<Guard> insertions;

  /// What `nest` reads to evaluate its source at `at`.
  void visitNest(const LoopNest &nest, llvm::ArrayRef<LinearIndex> at);
  void visit(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);
  /// What the body of `op` reads at `loops`.
  void visitBody(mlir::linalg::GenericOp op, llvm::ArrayRef<LinearIndex> loops,
                 bool readsInit);

  /// What computing `tensor` at `at` reads.
  void visitDefinition(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);

private:
  void visitInsert(mlir::tensor::InsertSliceOp op,
                   llvm::ArrayRef<LinearIndex> at);
  void visitGuarded(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                    llvm::ArrayRef<Guard> guards);
  void addAccess(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at);
  void addGuards(llvm::ArrayRef<Guard> guards);
  void visitExtracts(mlir::linalg::GenericOp op,
                     llvm::ArrayRef<LinearIndex> loops);

  const KernelPlan &plan;
  Symbols &symbols;
  llvm::SmallVectorImpl<Access> &accesses;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Access, 2>> visited;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H
