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
// (Phases.cpp). A phase is a launch. A tensor that later phases read is in
// memory that the phases share. This is not the shared memory of a GPU's block.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H

#include "LoopNest.h"
#include "SplitReductions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

namespace weir::kernels {

/// Memory that holds a tensor.
struct Home {
  /// Shared: memory that the phases share, with a tensor for later phases.
  enum class Kind { Operand, Result, Shared, Scratch, Constant };
  Kind kind;
  /// The index of the operand, the result or the shared tensor.
  unsigned number = 0;
  /// The strides, in elements. `layOutScratch` sets the strides of scratch.
  llvm::SmallVector<int64_t> strides;
  /// The dims in which scratch holds only one task's block. Each of them has
  /// the symbol of the block's begin, and the size of the block.
  std::map<size_t, std::pair<int, int64_t>> blocks = {};
  /// The constant that is added to every address.
  LinearIndex origin = {};
  /// The number of elements in memory from the first to the last.
  int64_t extent = 0;
};

class Evaluations;

/// The rules by which kernels are planned for a kind of machine.
struct PlanRules {
  SplitRules splits;
  /// The cost of storing and loading an element of a window, in simple
  /// operations. Neighbouring points share elements of windows.
  int64_t windowCost;
  /// Whether the tensors that windows read are stored in a phase of their own.
  /// In the phase of the windows, only one task could store them.
  bool storesWindowsFirst;
};

class KernelPlan {
public:
  /// The most nests into which one nest is cut. Also the most parts of a tensor
  /// that are read under conditions. So code stays short.
  static constexpr size_t mostParts = 64;

  /// The plan of `function`, whose operands and results lie in memory of types
  /// `operands` and `results`.
  KernelPlan(mlir::func::FuncOp function,
             llvm::ArrayRef<mlir::MemRefType> operands,
             llvm::ArrayRef<mlir::MemRefType> results, const PlanRules &rules);

  /// The nests in order, until sections take them.
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
  /// of dims is the order of dims of an operand. The strides are the same
  /// whether the operands are computed in this kernel or before it.
  llvm::ArrayRef<int64_t> getOwnStrides(mlir::Value tensor) const {
    return ownStrides.find(tensor)->second;
  }
  /// The address of the element at `at` in memory with `strides`, relative to
  /// its origin, in elements.
  LinearIndex getAddress(llvm::ArrayRef<int64_t> strides,
                         llvm::ArrayRef<LinearIndex> at) const;
  /// The address of `access`, relative to the first element of its home. Its
  /// tensor has strides.
  LinearIndex getAddress(const Access &access) const;
  /// Sets the strides of scratch, once tasks are known.
  void layOutScratch();
  /// The phase that writes the home `tensor`; the first phase for memory that
  /// no nest writes. All nests of a phase run after the nests of earlier
  /// phases.
  int getPhase(mlir::Value tensor) const { return phases.lookup(tensor); }
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
  void addAssignments(mlir::Value home, Evaluations &evaluations);
  void addNests(const Assignment &assignment);
  void addPhases();
  void share();

  mlir::func::FuncOp function;
  const PlanRules &rules;
  llvm::DenseMap<mlir::Value, int64_t> costs;
  TensorStrides ownStrides;
  /// The partial results of reductions over tiles.
  llvm::DenseSet<mlir::Value> partials;
  llvm::DenseMap<mlir::Value, int> phases;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELPLAN_H
