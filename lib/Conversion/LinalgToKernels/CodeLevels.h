//===- CodeLevels.h - What is known in the loops around code ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A value is emitted in the outermost loop in which everything that it depends
// on is known, and kept for later readers. So nothing is computed twice, and no
// later pass has to prove code invariant in order to hoist it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_CODELEVELS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_CODELEVELS_H

#include "LinearIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace weir::kernels {

/// The lanes of a vector that are in use. If `value` is null, all lanes are.
struct Mask {
  mlir::Value value;
  /// The depth of the level at which the mask is known.
  int depth = 0;
};

/// A fault of a plan: it asks for something that no correct plan asks for.
struct Fault {
  mlir::Location location;
  llvm::StringRef what;
};

/// The code that is emitted, and the values that are known in it. A level is
/// the body of a loop, or of the task around all loops.
class CodeLevels {
public:
  CodeLevels(Symbols &symbols, mlir::OpBuilder &builder,
             mlir::Location location)
      : symbols(symbols), builder(builder), location(location) {}

  Symbols &symbols;
  mlir::OpBuilder &builder;
  const mlir::Location location;

  template <typename OpTy, typename... Args> OpTy make(Args &&...args) {
    return OpTy::create(builder, location, std::forward<Args>(args)...);
  }

  /// Enters `block`. Code is then emitted before the terminator of the block,
  /// or at its end if it has no terminator. `variable` is the value of
  /// `symbol`, unless `symbol` is -1.
  void enter(mlir::Block *block, int symbol, mlir::Value variable);
  void leave();
  /// Moves the builder to another level during its lifetime.
  class At;
  /// The depth of the innermost level, and the depth of the level at which code
  /// is emitted.
  int getDepth() const { return static_cast<int>(levels.size()) - 1; }
  int getCurrentDepth() const { return current; }
  /// The depth of the outermost level at which a value at `at` is known.
  int depthOf(llvm::ArrayRef<LinearIndex> at, const Mask &mask) const;
  /// From here on, no value is known or computed outside of level `depth`. This
  /// is needed if a value is remembered that is valid only inside of that
  /// level.
  void setFloor(int depth) { floor = depth; }

  /// Sets the value of `symbol` from here on.
  void bind(int symbol, mlir::Value value);
  mlir::Value emitIndex(const LinearIndex &index);
  mlir::Value constantIndex(int64_t number);

  /// Records that `tensor` has the value `value` at `at`.
  void remember(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                const Mask &mask, mlir::Value value);
  /// The value that was recorded, or null.
  mlir::Value find(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                   const Mask &mask);

  /// Records a fault. The code that was emitted is then wrong.
  void note(mlir::Location where, llvm::StringRef what);
  /// The first fault.
  const std::optional<Fault> &getFault() const { return fault; }

private:
  struct Known {
    Indices at;
    mlir::Value mask;
    mlir::Value value;
  };
  struct Level {
    mlir::Block *block = nullptr;
    /// The op before which code of this level is inserted. If it is null, code
    /// is inserted at the end of the block.
    mlir::Operation *next = nullptr;
    llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 2>> known;
    llvm::SmallVector<std::pair<LinearIndex, mlir::Value>> indices;
  };
  /// The value of a symbol, and the depth of the level at which it is known.
  struct Variable {
    mlir::Value value;
    int depth = 0;
  };

  int depthOf(const LinearIndex &index) const;
  mlir::Value emitSymbol(int symbol);
  mlir::Value emitSum(const LinearIndex &index);

  std::vector<Level> levels;
  int current = 0;
  int floor = 0;
  llvm::DenseMap<int, Variable> variables;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  std::optional<Fault> fault;
};

class CodeLevels::At {
public:
  At(CodeLevels &code, int depth);
  ~At() { code.current = before; }

private:
  mlir::OpBuilder::InsertionGuard guard;
  CodeLevels &code;
  int before;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_CODELEVELS_H
