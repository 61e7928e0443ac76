//===- PointEmitter.h - Emits the value of a tensor at a point --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A point is one element, or the adjacent elements of a vector. The value of a
// tensor at a point is emitted at the outermost loop on which it depends, and
// kept for later readers. So nothing is computed twice, and no later pass has
// to prove code invariant in order to hoist it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H

#include "KernelPlan.h"
#include "ScheduledNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <vector>

namespace weir::kernels {

/// The lanes of a vector that are in use; all of them if there is no value.
struct Mask {
  mlir::Value value;
  /// The loop depth at which the mask is known.
  int depth = 0;
};

/// The number above 1 of which all values of a symbol are multiples, if there
/// is one.
using Factors = llvm::DenseMap<int, int64_t>;

/// The largest power of two up to `most` that divides `address` times `bytes`.
int64_t getAlignment(const LinearIndex &address, const Factors &factors,
                     int64_t bytes, int64_t most);

class PointEmitter {
public:
  PointEmitter(KernelPlan &plan, mlir::OpBuilder &builder,
               mlir::Location location)
      : plan(plan), builder(builder), location(location) {}

  const KernelPlan &getPlan() const { return plan; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLocation() const { return location; }

  /// Sets the memory of the home of `tensor`, a one-dimensional buffer.
  void setBuffer(mlir::Value tensor, mlir::Value buffer) {
    buffers[tensor] = buffer;
  }
  /// From here on, a point is a vector of `given`; one element if there are
  /// none.
  void setLanes(std::optional<Lanes> given);
  /// From here on, code for `count` rows is emitted together. `blocks` are the
  /// accesses whose rows are all read. Unless `transposedLoop` is -1, `count`
  /// rows of such an access are loaded at once and transposed along that loop.
  void setRows(int64_t count, int transposedLoop = -1,
               llvm::ArrayRef<Access> blocks = {});
  /// Which of the rows the next points belong to.
  void selectRow(int64_t row) { shift = row; }
  /// From here on, all buffers are aligned to `bytes`, and vectors say how they
  /// are aligned.
  void setBufferAlignment(int64_t bytes) { bufferAlignment = bytes; }
  /// Says that the values of `symbol` are multiples of `factor`.
  void setFactor(int symbol, int64_t factor) { factors[symbol] = factor; }
  /// The mask of the last vector of a loop, of which `used` lanes are in use.
  Mask maskLast(mlir::Value used);
  /// Something that a correct plan does not ask for.
  struct Fault {
    mlir::Location location;
    llvm::StringRef what;
  };
  /// The first one. The code that was emitted is then wrong.
  const std::optional<Fault> &getFault() const { return fault; }

  /// Enters `block`: code is now emitted before its terminator, or at its end
  /// if it has none. `variable` is the value of `symbol`.
  void enter(mlir::Block *block, int symbol, mlir::Value variable);
  void leave();
  /// Sets the value of `symbol` from here on.
  void bind(int symbol, mlir::Value value);
  /// A new symbol of [0, size).
  int addLoop(int64_t size) { return plan.symbols.addLoop(size); }
  /// Says that the values of `symbol` are in [0, size) from here on.
  void resizeLoop(int symbol, int64_t size) {
    plan.symbols.resizeLoop(symbol, size);
  }
  /// Emits `body` where all values of the loop `symbol` end `count` earlier.
  void emitShortened(int symbol, int64_t count,
                     llvm::function_ref<void()> body);
  /// `index` where the loop `symbol` is `count` iterations further.
  LinearIndex advance(const LinearIndex &index, int symbol, int64_t count) {
    return plan.symbols.advance(index, symbol, count);
  }
  int getDepth() const { return static_cast<int>(levels.size()) - 1; }

  /// From here on, no value is known or computed outside of level `depth`. This
  /// is needed where a value is remembered under a condition.
  void setFloor(int depth) { floor = depth; }

  /// The value of `tensor` at `at`: a scalar if all lanes are equal, else a
  /// vector.
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                   const Mask &mask = {});
  /// Like `read`, but computes the value even if the tensor is in memory.
  mlir::Value compute(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                      const Mask &mask = {});
  /// The value that the body of `op` yields at `loops`. `running` is the
  /// running value; if it is null, the running value is read. Sets `next` to
  /// the next running value.
  mlir::Value computeBody(mlir::linalg::GenericOp op,
                          llvm::ArrayRef<LinearIndex> loops, const Mask &mask,
                          mlir::Value running = {},
                          mlir::Value *next = nullptr);
  /// Records that `tensor` has the value `value` at `at`.
  void remember(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                const Mask &mask, mlir::Value value);
  /// Records that the element of `home` at `at` is `value`, so that it is never
  /// loaded.
  void keep(mlir::Value home, llvm::ArrayRef<LinearIndex> at,
            mlir::Value value);
  /// Stores a scalar or vector to the home of `tensor`.
  void store(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
             mlir::Value value, const Mask &mask);
  /// Stores lane 0 of all `rows` to the home of `tensor` from `at` on, then
  /// lane 1 of all, and so on.
  void storeInterleaved(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                        llvm::SmallVector<mlir::Value> rows, const Mask &mask);
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                   const Mask &mask);

  mlir::Value emitIndex(const LinearIndex &index);
  mlir::Value constantIndex(int64_t number);
  /// `value` broadcast to all lanes.
  mlir::Value splat(mlir::Value value);
  mlir::Type toVector(mlir::Type type) const;
  bool isWide(mlir::Value value) const;

  template <typename OpTy, typename... Args> OpTy make(Args &&...args) {
    return OpTy::create(builder, location, std::forward<Args>(args)...);
  }

private:
  struct Known {
    Indices at;
    mlir::Value mask;
    mlir::Value value;
  };
  /// A block of `buffer` from `origin` on, as vectors of its columns.
  struct TransposedBlock {
    mlir::Value buffer;
    LinearIndex origin;
    llvm::SmallVector<mlir::Value> columns;
  };
  /// The body of a loop, or of the task around all loops.
  struct Level {
    mlir::Block *block = nullptr;
    /// Code of this level is inserted before this op; at the end of the block
    /// if null.
    mlir::Operation *next = nullptr;
    llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 2>> known;
    llvm::SmallVector<std::pair<LinearIndex, mlir::Value>> indices;
    llvm::SmallVector<TransposedBlock> blocks;
  };
  /// Moves the builder to another level during its lifetime.
  class AtLevel;

  int depthOf(const LinearIndex &index) const;
  int depthOf(llvm::ArrayRef<LinearIndex> at, const Mask &mask) const;
  bool hasLanes(const LinearIndex &index);
  void note(mlir::Location where, llvm::StringRef what);
  mlir::Value emitSymbol(int symbol);
  mlir::Value emitSum(const LinearIndex &index);

  LinearIndex getAddress(mlir::Value base, llvm::ArrayRef<int64_t> strides,
                         llvm::ArrayRef<LinearIndex> at) const;
  bool isInBlock(mlir::Value buffer, const LinearIndex &address) const;
  /// The alignment of vectors of `buffer` at `address`, if it is known.
  llvm::MaybeAlign alignmentOf(mlir::Value buffer,
                               const LinearIndex &address) const;
  mlir::Value loadScalar(mlir::Value buffer, const LinearIndex &address);
  mlir::Value loadVector(mlir::Value buffer, const LinearIndex &address,
                         const Mask &mask);
  mlir::Value gather(mlir::Value buffer, mlir::Value offsets,
                     const LinearIndex &address, const Mask &mask);
  mlir::Value loadTransposed(mlir::Value buffer, const LinearIndex &address,
                             const Mask &mask);
  llvm::SmallVector<mlir::Value> loadSquare(mlir::Value buffer,
                                            const LinearIndex &origin,
                                            int64_t step, const Mask &mask);
  llvm::SmallVector<mlir::Value> loadInterleaved(mlir::Value buffer,
                                                 const LinearIndex &origin,
                                                 const Mask &mask);
  llvm::SmallVector<mlir::Value>
  interleaveHalves(llvm::ArrayRef<mlir::Value> rows);
  llvm::SmallVector<mlir::Value>
  interleave(llvm::SmallVector<mlir::Value> rows);
  mlir::Value maskFrom(int64_t first, int64_t step);
  mlir::Value gatherLanes(llvm::ArrayRef<mlir::Value> vectors,
                          llvm::function_ref<int64_t(int64_t)> getPlace);
  mlir::Value stepsOf(int64_t step);
  mlir::Value allLanes();
  mlir::Value fromMemory(mlir::Value value, mlir::Type type);
  mlir::Value toMemory(mlir::Value value);

  mlir::Value readPadded(mlir::tensor::PadOp op, llvm::ArrayRef<LinearIndex> at,
                         const Mask &mask);
  mlir::Value readInserted(mlir::tensor::InsertSliceOp op,
                           llvm::ArrayRef<LinearIndex> at, const Mask &mask);
  /// A new copy of a constant of the cluster.
  mlir::Value copyConstant(mlir::Value value);
  mlir::Value readConstant(mlir::Operation *op);
  /// Reads `tensor` where all `guards` hold; elsewhere at clamped indices. Sets
  /// `inside` to the condition that they hold.
  mlir::Value readGuarded(mlir::Value tensor, Indices at,
                          llvm::ArrayRef<Guard> guards, Mask mask,
                          mlir::Value &inside);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  mlir::Value emitBodyOp(mlir::Operation &op,
                         llvm::DenseMap<mlir::Value, mlir::Value> &values);
  mlir::Value emitExtract(mlir::tensor::ExtractOp op,
                          llvm::ArrayRef<LinearIndex> loops,
                          llvm::DenseMap<mlir::Value, mlir::Value> &values,
                          const Mask &mask);
  mlir::Value emitLoopIndex(const LinearIndex &index);

  KernelPlan &plan;
  mlir::OpBuilder &builder;
  mlir::Location location;

  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// The vectorised loop, or -1, and its number of lanes.
  int lane = -1;
  int64_t lanes = 1;
  /// The loop along which blocks of `height` are transposed, or -1, and the
  /// shift of the current row along it.
  int transposed = -1;
  int64_t height = 1;
  int64_t shift = 0;
  /// The buffer and the address of the first row of each such block.
  llvm::SmallVector<std::pair<mlir::Value, LinearIndex>> blockPlaces;
  /// What `maskLast` made, and its number of lanes in use, for transposing.
  mlir::Value lastMask, usedLanes;
  /// The values that `keep` was told, by tensor and address.
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<LinearIndex, mlir::Value>>>
      kept;
  std::optional<Fault> fault;
  int64_t bufferAlignment = 0;
  Factors factors;

  std::vector<Level> levels;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  /// The level at which code is emitted now.
  int current = 0;
  int floor = 0;
  llvm::DenseMap<int, std::pair<mlir::Value, int>> variables;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H
